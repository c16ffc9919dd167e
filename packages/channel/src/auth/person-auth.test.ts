import { simulatedRuntime } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { makeKey, makeToken, serveKeys, type TestKey } from './issuer.test-helper.ts'
import { personAuth } from './person-auth.ts'
import { PersonTokens } from './person-tokens.ts'

const { clock } = simulatedRuntime()
const now = clock.now()
const typ = 'beach-person+jwt'
const seconds = Math.floor(now / 1_000)
const claims = { iss: 'hub', aud: 'us', sub: 'anna', kind: 'user', tenant: 'default', iat: seconds }

async function hub() {
  const key = await makeKey('one', 'EdDSA')
  const { url } = await serveKeys(key)
  const identify = personAuth({ agentId: 'us', keysOf: { hub: url, other: 'http://127.0.0.1:1/' }, fetch, clock })
  const ask = (token: string) => identify(new Request('http://us/', { headers: { authorization: `Bearer ${token}` } }))
  return {
    key,
    ask,
    say: async (given: object, header = {}) =>
      ask(await makeToken(key, now, { ...claims, ...given }, { typ, ...header })),
  }
}

test('an agent that is trusted says who is calling, without scopes', async () => {
  const { say } = await hub()
  const known = await say({ scope: 'approvals:admin', scopes: ['approvals:admin'] })
  expect(known).toEqual({ principal: { kind: 'user', id: 'anna', tenant: 'default' }, agent: 'hub' })
  expect(await say({ kind: 'anonymous' })).toMatchObject({ principal: { kind: 'anonymous' } })
})

test.each<[string, object, string]>([
  ['an operator', { kind: 'operator' }, 'names neither a user nor a guest'],
  ['a peer', { kind: 'peer' }, 'names neither a user nor a guest'],
  ['no tenant', { tenant: '' }, 'names neither a user nor a guest'],
  ['another agent as its reader', { aud: 'them' }, "has the wrong 'aud'"],
  ['an agent that is not trusted as its writer', { iss: 'stranger' }, 'may not say here who is calling'],
  ['no writer', { iss: undefined }, 'may not say here who is calling'],
  ['a time that is over', { exp: -31 }, 'has expired'],
  ['no time of its own', { iat: undefined }, "has the wrong 'iat'"],
])('a token that names %s is refused', async (_, given, message) => {
  const { say } = await hub()
  await expect(say(given)).rejects.toThrow(message)
})

test('a token that another key has signed is refused', async () => {
  const { ask } = await hub()
  const other: TestKey = await makeKey('one', 'EdDSA')
  await expect(ask(await makeToken(other, now, claims, { typ }))).rejects.toThrow('not signed by a key of the agent')
})

test('a token of another type is left to other authenticators', async () => {
  const { say, ask } = await hub()
  expect(await say({}, { typ: 'at+jwt' })).toBeUndefined()
  expect(await ask('words')).toBeUndefined()
})

test('keys follow from the secret; a replaced one still verifies, and one that is listed twice is one', async () => {
  const [old, current] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const keysOf = async (...secret: Uint8Array[]) =>
    (await new PersonTokens({ secret, agentId: 'us', clock }).keySet()).keys
  const [one] = await keysOf(old)
  expect(await keysOf(current, old)).toEqual([...(await keysOf(current)), one])
  expect(await keysOf(old, old)).toEqual([one])
  expect(one).not.toHaveProperty('d')
})
