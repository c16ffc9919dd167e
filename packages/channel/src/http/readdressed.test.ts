import { expect, test } from 'vitest'
import { noteRemoteAddress, remoteNetwork } from './remote-address.ts'
import { readdressed } from './readdressed.ts'

test('a request keeps everything but its address', async () => {
  const ending = new AbortController()
  const request = new Request('http://agent.example/coffee/sessions?a=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    signal: ending.signal,
  })
  noteRemoteAddress(request, () => '192.0.2.7')
  const other = readdressed(request, 'http://agent.example/sessions?a=1')
  expect([other.method, other.url]).toEqual(['POST', 'http://agent.example/sessions?a=1'])
  expect(other.headers.get('content-type')).toBe('application/json')
  expect(remoteNetwork(other)).toBe('192.0.2.7')
  expect(await other.json()).toEqual({ a: 1 })
  ending.abort()
  expect(other.signal.aborted).toBe(true)
})
