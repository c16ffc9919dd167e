import { expect, test } from 'vitest'
import { originsOfSameDomain } from './registrable-domain.ts'

const of = async (address: string, ...origins: string[]) => [...(await originsOfSameDomain(address, origins))]

test('hosts of one registrable domain belong together, whatever their ports', async () => {
  const origins = ['https://example.com', 'https://api.example.com', 'https://a.b.example.com:8443']
  expect(await of('https://travel.example.com/card.json', ...origins)).toEqual(origins)
  expect(await of('https://example.com/card.json', 'https://travel.example.com')).toHaveLength(1)
  expect(await of('https://shop.example.co.uk/', 'https://www.example.co.uk')).toHaveLength(1)
})

test.each([
  ['https://travel.example.com/', 'https://example.org'],
  ['https://travel.example.com/', 'https://example.com.evil.org'],
  ['https://travel.example.com/', 'https://notexample.com'],
  ['https://one.co.uk/', 'https://two.co.uk'],
  // Platforms whose customers do not know each other.
  ['https://one.github.io/', 'https://two.github.io'],
  ['https://one.vercel.app/', 'https://vercel.app'],
  ['https://a.xn--55qx5d.cn/', 'https://b.xn--55qx5d.cn'],
  // Without https anyone on the way could answer.
  ['https://travel.example.com/', 'http://example.com'],
  ['http://travel.example.com/', 'https://example.com'],
  // These have no domain, or one that is on no list.
  ['https://127.0.0.1/', 'https://127.0.0.1:8443'],
  ['https://10.0.0.1/', 'https://10.0.0.2'],
  ['https://[::1]/', 'https://[::1]:8443'],
  ['https://localhost/', 'https://localhost:8443'],
  ['https://a.one.svc.cluster.local/', 'https://b.two.svc.cluster.local'],
])('%s and %s do not', async (address, origin) => {
  expect(await of(address, origin)).toEqual([])
})
