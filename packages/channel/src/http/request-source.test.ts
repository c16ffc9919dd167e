import { expect, test } from 'vitest'
import { networkOf, noteRequest, readdressed, remoteNetwork } from './request-source.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0:1:2:3:4:5', '2001:db8:0:1'],
  ['2001:db8::5', '2001:db8:0:0'],
  ['2001:0db8:0000:0001::1', '2001:db8:0:1'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['/run/agent.sock', ''],
  ['unknown', ''],
  ['198.51.100.1, 192.0.2.7', '192.0.2.7'],
  ['made-up,192.0.2.7:50123', '192.0.2.7'],
  ['[2001:db8::5]:443', '2001:db8:0:0'],
])('%s is of network %j', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('a request is from where its server says, and from nowhere when its server does not say', () => {
  const request = new Request('http://agent.example/')
  expect(remoteNetwork(request)).toBeUndefined()
  noteRequest(request, { remoteAddress: () => '::ffff:192.0.2.7' })
  expect(remoteNetwork(request)).toBe('192.0.2.7')
})

test('a request keeps everything but its address', async () => {
  const ending = new AbortController()
  const request = new Request('http://agent.example/coffee/sessions?a=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    signal: ending.signal,
  })
  noteRequest(request, { remoteAddress: () => '192.0.2.7' })
  const other = readdressed(request, 'http://agent.example/sessions?a=1')
  expect([other.method, other.url]).toEqual(['POST', 'http://agent.example/sessions?a=1'])
  expect(other.headers.get('content-type')).toBe('application/json')
  expect(remoteNetwork(other)).toBe('192.0.2.7')
  expect(await other.json()).toEqual({ a: 1 })
  ending.abort()
  expect(other.signal.aborted).toBe(true)
})
