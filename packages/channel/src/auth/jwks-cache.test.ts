import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { audience, bearing, issuer, makeKey, makeToken, serveKeys, type TestKey } from './issuer.test-helper.ts'
import { oauth2Auth } from './oauth2-auth.ts'

const minute = 60_000
const first = await makeKey('first')
const second = await makeKey('second')
const unreachable = { code: 'UNREACHABLE', retryable: true, message: expect.stringContaining('Try again') as string }

async function start(...keys: readonly TestKey[]) {
  const clock = new SimulatedClock()
  const { jwksUri, ...server } = await serveKeys(...keys)
  const authenticate = oauth2Auth({ issuer, audience, jwksUri, tenant: 'acme', clock, fetch })
  const by = async (key: TestKey) => authenticate(bearing(await makeToken(key, clock.now())))
  return { clock, by, ...server }
}

test('keys are fetched once, however many tokens wait for them', async () => {
  const { by, received } = await start(first)
  expect(received).toHaveLength(0)
  await Promise.all([by(first), by(first), by(first)])
  await by(first)
  expect(received).toHaveLength(1)
})

test('keys are fetched anew after ten minutes', async () => {
  const { by, received, clock } = await start(first)
  await by(first)
  await clock.advance(10 * minute - 1)
  await by(first)
  expect(received).toHaveLength(1)
  await clock.advance(1)
  await by(first)
  expect(received).toHaveLength(2)
})

test('a key that the issuer has taken back is no longer good after ten minutes', async () => {
  const { by, state, clock } = await start(first)
  await by(first)
  state.keys = [second]
  await clock.advance(10 * minute)
  await expect(by(first)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})

test('a new key is found when a token names it', async () => {
  const { by, state, received, clock } = await start(first)
  await by(first)
  state.keys = [first, second]
  await clock.advance(30_000)
  expect(await by(second)).toMatchObject({ principal: { id: `${issuer}#alice` } })
  expect(await by(first)).toBeDefined()
  expect(received).toHaveLength(2)
})

test('keys that are made up cost the issuer one request in half a minute', async () => {
  const { by, received, clock } = await start(first)
  await by(first)
  await clock.advance(30_000)
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, at) => by(await makeKey(`made-up-${at}`))),
  )
  for (const one of tries) expect(one).toMatchObject({ reason: { code: 'UNAUTHENTICATED' } })
  await expect(by(second)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(received).toHaveLength(2)
})

describe('when keys cannot be fetched', () => {
  test.each(['broken', 'garbage', 'redirect'] as const)('no caller is refused for it: %s', async (mode) => {
    const { by, state, received, clock } = await start(first)
    state.mode = mode
    await expect(by(first)).rejects.toMatchObject(unreachable)
    state.mode = 'keys'
    await expect(by(first)).rejects.toMatchObject(unreachable)
    expect(received).toHaveLength(1)
    await clock.advance(1_000)
    expect(await by(first)).toBeDefined()
  })

  test('callers do not wait for an issuer that does not answer', async () => {
    const { by, state, received, clock } = await start(first)
    state.mode = 'silent'
    const waiting = Promise.allSettled([by(first), by(first)])
    await expect.poll(() => received.length).toBe(1)
    await clock.advance(5_000)
    for (const one of await waiting) expect(one).toMatchObject({ reason: unreachable })
  })

  test('the issuer may be gone altogether', async () => {
    const { by, close } = await start(first)
    await close()
    await expect(by(first)).rejects.toMatchObject({ ...unreachable, details: { reason: 'ECONNREFUSED' } })
  })

  test('keys that are known are used for another hour', async () => {
    const { by, state, clock } = await start(first)
    await by(first)
    state.mode = 'broken'
    await clock.advance(70 * minute - 1)
    expect(await by(first)).toBeDefined()
    await clock.advance(1_000)
    await expect(by(first)).rejects.toMatchObject(unreachable)
  })

  test('a token of a key that is not known may still be good', async () => {
    const { by, state, clock } = await start(first)
    await by(first)
    state.mode = 'broken'
    await clock.advance(minute)
    await expect(by(second)).rejects.toMatchObject(unreachable)
    expect(await by(first)).toBeDefined()
  })

  test('an answer that is too large is not used', async () => {
    const padded = async () => new Response(`${' '.repeat(256 * 1024)}${JSON.stringify({ keys: [first.jwk] })}`)
    const clock = new SimulatedClock()
    const jwksUri = `${issuer}/jwks`
    const authenticate = oauth2Auth({ issuer, audience, jwksUri, tenant: 'acme', clock, fetch: padded })
    await expect(authenticate(bearing(await makeToken(first, clock.now())))).rejects.toMatchObject(unreachable)
  })
})
