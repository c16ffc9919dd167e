import { expect, test } from 'vitest'
import { networkOf, noteRemoteAddress, remoteNetwork } from './remote-address.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0:1:2:3:4:5', '2001:db8:0:1'],
  ['2001:db8::5', '2001:db8:0:0'],
  ['2001:0db8:0000:0001::1', '2001:db8:0:1'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['/run/agent.sock', '/run/agent.sock'],
])('%s is of %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('a request is from where its server says, and from nowhere when its server does not say', () => {
  const request = new Request('http://agent.example/')
  expect(remoteNetwork(request)).toBeUndefined()
  noteRemoteAddress(request, () => '::ffff:192.0.2.7')
  expect(remoteNetwork(request)).toBe('192.0.2.7')
})
