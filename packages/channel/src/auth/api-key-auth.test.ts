import { timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test, vi } from 'vitest'
import { hashApiKey, newApiKey } from './api-key.ts'
import { apiKeyAuth, type ApiKey } from './api-key-auth.ts'

vi.mock('node:crypto', { spy: true })

const header = 'X-Beach-Key'
const clock = new SimulatedClock()

function known(key: string, more: Partial<ApiKey> = {}): ApiKey {
  return { id: 'travel', tenant: 'acme', hash: hashApiKey(key), ...more }
}

function withKey(key: string): Request {
  return new Request('https://agent.example/a2a', { headers: { [header]: key } })
}

test('a key makes its caller known, with tenant, kind and scopes', async () => {
  const key = newApiKey()
  const authenticate = apiKeyAuth({ header, keys: [known(key, { kind: 'user', scopes: ['booking:write'] })] })
  expect(await authenticate(withKey(key))).toEqual({
    principal: { kind: 'user', id: 'travel', tenant: 'acme', scopes: ['booking:write'] },
    credential: { type: 'api-key', header: header.toLowerCase() },
  })
})

test('a caller is a peer without scopes unless its key says otherwise', async () => {
  const key = newApiKey()
  const caller = await apiKeyAuth({ header, keys: [known(key)] })(withKey(key))
  expect(caller?.principal).toEqual({ kind: 'peer', id: 'travel', tenant: 'acme', scopes: [] })
})

test('a request without the header has no credential of this kind, wherever else the key may stand', async () => {
  const key = newApiKey()
  const authenticate = apiKeyAuth({ header, keys: [known(key)] })
  expect(await authenticate(new Request('https://agent.example/'))).toBeUndefined()
  expect(await authenticate(new Request(`https://agent.example/?${header}=${key}`))).toBeUndefined()
})

test('a key that is not known is an error, in which it does not stand', async () => {
  const wrong = newApiKey()
  const authenticate = apiKeyAuth({ header, keys: [known(newApiKey())] })
  const error = await authenticate(withKey(wrong)).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 })
  expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(wrong)
})

test('neither the stored hash nor an empty key is a credential', async () => {
  const key = known(newApiKey())
  const authenticate = apiKeyAuth({ header, keys: [key] })
  await expect(authenticate(withKey(key.hash))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await expect(authenticate(withKey(''))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await expect(apiKeyAuth({ header, keys: [] })(withKey(newApiKey()))).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
})

test.each([0, 2, 4, undefined])(
  'every key is compared in constant time, whichever is the right one: %s',
  async (place) => {
    const keys = Array.from({ length: 5 }, () => newApiKey())
    const authenticate = apiKeyAuth({ header, keys: keys.map((key) => known(key)) })
    vi.mocked(timingSafeEqual).mockClear()
    const given = place === undefined ? newApiKey() : (keys[place] ?? '')
    await authenticate(withKey(given)).catch(() => undefined)
    expect(timingSafeEqual).toHaveBeenCalledTimes(5)
  },
)

test('a key ends when it expires', async () => {
  const key = newApiKey()
  const expiresAt = new Date(clock.now() + 1_000).toISOString()
  const authenticate = apiKeyAuth({ header, keys: [known(key, { expiresAt })], clock })
  expect(await authenticate(withKey(key))).toMatchObject({ principal: { id: 'travel' } })
  await clock.advance(1_000)
  await expect(authenticate(withKey(key))).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: 'This API key has expired. Get a new one.',
  })
})

test('an old and a new key of one caller are both good while both are listed', async () => {
  const [before, after] = [newApiKey(), newApiKey()]
  const authenticate = apiKeyAuth({ header, keys: [known(before), known(after)] })
  expect(await authenticate(withKey(before))).toEqual(await authenticate(withKey(after)))
})

describe('a mistake in the settings is found at once', () => {
  const right = known(newApiKey())
  test.each<[string, string, ApiKey[], string]>([
    ['a key where its hash should be', header, [{ ...right, hash: newApiKey() }], 'The hash of API key 0'],
    ['the same key twice', header, [right, { ...right, id: 'other' }], 'Two of the API keys are the same'],
    ['a time that is none', header, [{ ...right, expiresAt: 'soon' }], 'The expiresAt of API key 0'],
    ['no tenant', header, [{ ...right, tenant: '' }], 'invalid fields: tenant'],
    ['a kind that no caller can be', header, [{ ...right, kind: 'anonymous' as 'peer' }], 'invalid fields: kind'],
    ['a header that says where a request ends', 'Content-Length', [right], "'Content-Length' cannot carry"],
    ['a header that says where it goes', 'host', [right], "'host' cannot carry"],
    ['no header', '', [right], 'missing or malformed'],
    ['two headers in one', 'X-Key: 1\r\nX-Other', [right], 'missing or malformed'],
  ])('%s', (_name, name, keys, message) => {
    expect(() => apiKeyAuth({ header: name, keys })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(message) as string }),
    )
  })
})

describe('API keys', () => {
  test('are random and long enough that their hash gives nothing away', () => {
    const keys = new Set(Array.from({ length: 100 }, () => newApiKey()))
    expect(keys.size).toBe(100)
    for (const key of keys) expect(key).toMatch(/^beach_[\w-]{43}$/)
  })

  test('have the hash that other tools give', () => {
    expect(hashApiKey('correct-horse-battery-staple')).toBe(
      'sha256:87cbebfeebc05f7c54ac9336c4b4bbec831227a641951a4bde7edd56020f8590',
    )
  })

  test.each(['hunter2', 'with spaces between the words', 'with-a-line-break-at-its-end\n', ''])(
    'cannot be a made-up text: %j',
    (key) => {
      expect(() => hashApiKey(key)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
    },
  )
})
