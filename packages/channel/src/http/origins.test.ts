import { expect, test } from 'vitest'
import { checkOrigins, foreignOrigin } from './origins.ts'

function request(url: string, origin?: string, cookie?: string): Request {
  return new Request(url, { headers: { ...(origin && { origin }), ...(cookie && { cookie }) } })
}

const agent = 'https://agent.example/agui'
const local = 'http://127.0.0.1:4747/agui'

test.each([
  [local, undefined],
  [local, 'http://127.0.0.1:4747'],
  [agent, 'https://agent.example'],
])('at %s a page of the same host, and a caller without an origin, is not foreign: %s', (url, origin) => {
  expect(foreignOrigin(request(url, origin, 'beach=1'), {})).toBeUndefined()
})

test.each([
  [local, 'http://localhost:3000'],
  [local, 'http://[::1]:5173'],
  [agent, 'https://shop.example'],
])('at %s a page of %s may call, but with a cookie only if it is listed', (url, origin) => {
  const allowed = { origins: ['https://shop.example'], allowLocal: true }
  expect(foreignOrigin(request(url, origin), allowed)).toBe(origin)
  const withCookie = () => foreignOrigin(request(url, origin, 'beach=1'), allowed)
  if (url === agent) expect(withCookie()).toBe(origin)
  else expect(withCookie).toThrow(`Pages of ${origin} may not call`)
})

test.each([
  [agent, 'http://localhost:3000'],
  [agent, 'https://agent.example.evil.example'],
  [agent, 'https://agent.example:8443'],
  [local, 'https://evil.example'],
  [local, 'http://127.0.0.1.evil.example'],
  [local, 'null'],
  [local, 'file://'],
])('at %s a page of %s may not', (url, origin) => {
  expect(() => foreignOrigin(request(url, origin), { allowLocal: true })).toThrow(/may not call/)
})

test('other pages of the same machine may only where that is said', () => {
  expect(() => foreignOrigin(request(local, 'http://localhost:3000'), {})).toThrow(/may not call/)
})

test('at its public address only that origin is the agent’s own', () => {
  const given = { publicUrl: 'https://agent.example' }
  expect(foreignOrigin(request('http://agent.example/a2a', 'https://agent.example'), given)).toBeUndefined()
  expect(() => foreignOrigin(request('http://agent.example/a2a', 'http://agent.example'), given)).toThrow(
    /may not call/,
  )
})

test.each(['*', 'https://shop.example/', 'shop.example', 'https://Shop.example', 'https://shop.example/page', 'null'])(
  '%s is no origin',
  (origin) => {
    expect(() => checkOrigins(['https://good.example', origin], 'a2a.origins')).toThrow(`a2a.origins has '${origin}'`)
  },
)

test.each([
  ['*', 'There are no wildcards'],
  ['https://*.shop.example', 'There are no wildcards'],
  ['https://shop.example/page', "Did you mean 'https://shop.example'?"],
  ['shop.example', "Did you mean 'https://shop.example'?"],
])('a wrong entry %s is told what to do', (origin, advice) => {
  expect(() => checkOrigins([origin], 'access.origins')).toThrow(advice)
})

test('applications and extensions have origins of their own, files and documents without one have none', () => {
  expect(() => checkOrigins(['capacitor://localhost', 'chrome-extension://abcdef'], 'access.origins')).not.toThrow()
  for (const origin of ['file://', 'null', 'data://x', 'blob:https://shop.example']) {
    expect(() => checkOrigins([origin], 'access.origins')).toThrow(origin)
  }
})
