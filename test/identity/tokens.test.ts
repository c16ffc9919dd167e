import { defineActor, type Beach, type BeachOptions } from '@cool-ai/beach'
import { silentLogger } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime, testAgent } from '@cool-ai/beach-testing'
import { describe, expect, test, type TestContext } from 'vitest'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }

interface Tokens {
  readonly sessionId: string
  readonly token: string
  readonly refreshToken: string
}

class LastingStore extends MemoryStore {
  override async close(): Promise<void> {}
}

/** Processes of one agent on one store and one clock. */
async function agents(context: TestContext, count = 1, options: Partial<BeachOptions> = {}) {
  const runtime = simulatedRuntime({ logger: silentLogger })
  const store = new LastingStore({ runtime })
  const processes: Beach[] = []
  for (let index = 0; index < count; index++) {
    const { beach, stop } = await testAgent({
      runtime,
      actors: { main: defineActor(async () => {}) },
      page: (path) => (path === '/' ? new Response('page', { headers: html }) : undefined),
      data: { store, secret: new Uint8Array(32).fill(7) },
      ...options,
    })
    context.onTestFinished(stop)
    processes.push(beach)
  }
  const [first] = processes
  if (first === undefined) throw new Error('There is no agent.')
  return { runtime, clock: runtime.clock, store, processes, beach: first }
}

const ask = (beach: Beach, path: string, init: RequestInit = {}) =>
  beach.fetch(new Request(`http://127.0.0.1${path}`, init))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const open = async (beach: Beach) => (await (await ask(beach, '/sessions', { method: 'POST' })).json()) as Tokens
const look = async (beach: Beach, sessionId: string, token: string) =>
  (await ask(beach, `/sessions/${sessionId}`, { headers: bearer(token) })).status
const renew = (beach: Beach, refreshToken: unknown) =>
  ask(beach, '/token', { method: 'POST', headers: json, body: JSON.stringify({ refreshToken }) })
const renewed = async (beach: Beach, refreshToken: string) =>
  (await (await renew(beach, refreshToken)).json()) as Tokens
const logOut = (beach: Beach, headers: Record<string, string>, body: object = {}) =>
  ask(beach, '/logout', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })

/** A browser's cookies: what answers set, sent with each request. */
function browser(beach: Beach) {
  const jar = new Map<string, string>()
  return {
    jar,
    async ask(path: string, init: RequestInit = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) }
      const response = await ask(beach, path, { ...init, headers })
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (/Max-Age=0/.test(set)) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    },
  }
}

describe('a token', () => {
  test('lives for an hour, and is renewed by its refresh token for 30 days since it was last used', async (context) => {
    const { beach, clock } = await agents(context)
    const { sessionId, token, refreshToken } = await open(beach)
    clock.step(hourMs - 1)
    expect(await look(beach, sessionId, token)).toBe(200)
    clock.step(1)
    expect(await look(beach, sessionId, token)).toBe(401)
    clock.step(29 * dayMs)
    const second = await renewed(beach, refreshToken)
    expect(await look(beach, sessionId, second.token)).toBe(200)
    clock.step(30 * dayMs)
    expect((await renew(beach, second.refreshToken)).status).toBe(401)
  })

  test('whose renewal got lost is renewed by the same refresh token again', async (context) => {
    const { beach } = await agents(context)
    const { sessionId, refreshToken } = await open(beach)
    await renewed(beach, refreshToken)
    const again = await renewed(beach, refreshToken)
    expect(await look(beach, sessionId, again.token)).toBe(200)
    expect((await renew(beach, again.refreshToken)).status).toBe(200)
  })

  test('that a thief renews too ends with its login, for both', async (context) => {
    const { beach } = await agents(context)
    const { sessionId, refreshToken } = await open(beach)
    const own = await renewed(beach, refreshToken)
    const stolen = await renewed(beach, refreshToken)
    expect((await renew(beach, own.refreshToken)).status).toBe(200)
    expect((await renew(beach, stolen.refreshToken)).status).toBe(401)
    expect([await look(beach, sessionId, own.token), await look(beach, sessionId, stolen.token)]).toEqual([401, 401])
  })

  test('that was renewed twice ends its login when the first refresh token comes back', async (context) => {
    const { beach } = await agents(context)
    const { sessionId, refreshToken } = await open(beach)
    const second = await renewed(beach, refreshToken)
    const third = await renewed(beach, second.refreshToken)
    expect((await renew(beach, refreshToken)).status).toBe(401)
    expect(await look(beach, sessionId, third.token)).toBe(401)
  })

  test.for([
    ['', 400],
    [undefined, 400],
    ['abc', 401],
    [{}, 400],
  ] as const)('renewal by %j is refused', async ([given, status], context) => {
    const { beach } = await agents(context)
    expect((await renew(beach, given)).status).toBe(status)
  })

  test('that lets in renews nothing, and one that renews lets nobody in', async (context) => {
    const { beach } = await agents(context)
    const { sessionId, token, refreshToken } = await open(beach)
    expect((await renew(beach, token)).status).toBe(401)
    expect(await look(beach, sessionId, refreshToken)).toBe(401)
  })

  test('opens a further session, and gets no other login by that', async (context) => {
    const { beach } = await agents(context)
    const { token } = await open(beach)
    const response = await ask(beach, '/sessions', { method: 'POST', headers: bearer(token) })
    expect(await response.json()).toEqual({ sessionId: expect.any(String) as string, token })
  })

  test('of too short a life is not configured', async () => {
    const starting = testAgent({ actors: { main: defineActor(async () => {}) }, access: { tokens: { accessMs: 1 } } })
    await expect(starting).rejects.toThrow('`access.tokens` needs an `accessMs` of at least a minute')
  })
})

describe('logging out', () => {
  test('ends the tokens of that login, and no other', async (context) => {
    const { beach } = await agents(context)
    const first = await open(beach)
    const other = await open(beach)
    expect((await logOut(beach, bearer(first.token))).status).toBe(204)
    expect(await look(beach, first.sessionId, first.token)).toBe(401)
    expect((await renew(beach, first.refreshToken)).status).toBe(401)
    expect(await look(beach, other.sessionId, other.token)).toBe(200)
    expect((await logOut(beach, bearer(first.token))).status).toBe(401)
  })

  test('everywhere ends all logins of the same principal, on all processes within three seconds', async (context) => {
    const { processes, clock } = await agents(context, 2)
    const [one, two] = processes as [Beach, Beach]
    const { sessionId, token } = await open(one)
    const link = await ask(one, `/sessions/${sessionId}/links`, { method: 'POST', headers: bearer(token) })
    const { code } = (await link.json()) as { code: string }
    const joined = await ask(one, '/join', { method: 'POST', headers: json, body: JSON.stringify({ code }) })
    const device = (await joined.json()) as Tokens
    expect(await look(two, sessionId, device.token)).toBe(200)
    await logOut(one, bearer(token), { everywhere: true })
    expect(await look(one, sessionId, device.token)).toBe(401)
    await clock.advance(3_000)
    expect([await look(two, sessionId, device.token), await look(two, sessionId, token)]).toEqual([401, 401])
    expect((await renew(two, device.refreshToken)).status).toBe(401)
  })

  test('is known to a process that starts later', async (context) => {
    const { beach, store, runtime } = await agents(context)
    const { sessionId, token } = await open(beach)
    await logOut(beach, bearer(token))
    const { beach: later, stop } = await testAgent({
      runtime,
      actors: { main: defineActor(async () => {}) },
      data: { store, secret: new Uint8Array(32).fill(7) },
    })
    context.onTestFinished(stop)
    expect(await look(later, sessionId, token)).toBe(401)
  })

  test('closes streams that are open, on every process', async (context) => {
    const { processes, clock } = await agents(context, 2)
    const [one, two] = processes as [Beach, Beach]
    const { sessionId, token } = await open(one)
    const stream = await ask(two, `/sessions/${sessionId}/events`, { headers: bearer(token) })
    expect(stream.status).toBe(200)
    const ended = stream.text()
    await logOut(one, bearer(token))
    await clock.advance(3_500)
    expect(await ended).toContain(': beach')
    expect((await ask(two, `/sessions/${sessionId}/events`, { headers: bearer(token) })).status).toBe(401)
  })

  test('takes the cookies of a browser, which is another guest then', async (context) => {
    const { beach } = await agents(context)
    const page = browser(beach)
    await page.ask('/')
    const { sessionId } = (await (await page.ask('/sessions', { method: 'POST' })).json()) as Tokens
    const before = [...page.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await page.ask('/logout', { method: 'POST' })).status).toBe(204)
    expect(page.jar.size).toBe(0)
    // A copy of the cookies that was made before is worth nothing.
    expect((await ask(beach, `/sessions/${sessionId}`, { headers: { cookie: before } })).status).toBe(401)
    await page.ask('/')
    expect((await page.ask(`/sessions/${sessionId}`)).status).toBe(404)
  })

  test('is not done for the page of another site', async (context) => {
    const { beach } = await agents(context)
    const page = browser(beach)
    await page.ask('/')
    const response = await page.ask('/logout', { method: 'POST', headers: { origin: 'https://evil.example' } })
    expect(response.status).toBe(403)
    expect((await page.ask('/sessions', { method: 'POST' })).status).toBe(201)
  })
})

describe('a browser', () => {
  test('gets new cookies by itself when its token has ended, and stays the same guest', async (context) => {
    const { beach, clock } = await agents(context)
    const page = browser(beach)
    await page.ask('/')
    const opened = (await (await page.ask('/sessions', { method: 'POST' })).json()) as Partial<Tokens>
    expect(opened).toEqual({ sessionId: expect.any(String) as string })
    const before = new Map(page.jar)
    clock.step(hourMs + 1)
    // Several requests at once, as after a night's sleep.
    const all = await Promise.all([1, 2, 3].map(() => page.ask(`/sessions/${opened.sessionId}`)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
    expect([...page.jar.keys()]).toEqual([...before.keys()])
    expect([...page.jar.values()]).not.toEqual([...before.values()])
    clock.step(29 * dayMs)
    await page.ask('/')
    expect((await page.ask(`/sessions/${opened.sessionId}`)).status).toBe(200)
  })

  test('whose cookies were copied is another guest as soon as both copies were renewed', async (context) => {
    const { beach, clock } = await agents(context)
    const [own, thief] = [browser(beach), browser(beach)]
    await own.ask('/')
    for (const [name, value] of own.jar) thief.jar.set(name, value)
    const { sessionId } = (await (await own.ask('/sessions', { method: 'POST' })).json()) as Tokens
    const path = `/sessions/${sessionId}`
    clock.step(hourMs + 1)
    expect([(await own.ask(path)).status, (await thief.ask(path)).status]).toEqual([200, 200])
    clock.step(hourMs + 1)
    await own.ask(path)
    await thief.ask(path)
    expect([(await own.ask(path)).status, (await thief.ask(path)).status]).toEqual([401, 401])
  })
})

test('a process that cannot look for revocations for half a minute trusts no token', async (context) => {
  const { beach, store, clock } = await agents(context)
  const { sessionId, token } = await open(beach)
  expect(await look(beach, sessionId, token)).toBe(200)
  const list = store.list.bind(store)
  store.list = (prefix, ...rest) =>
    prefix === 'revoked:' ? Promise.reject(new Error('The store is away.')) : list(prefix, ...rest)
  await clock.advance(10_000)
  expect(await look(beach, sessionId, token)).toBe(200)
  await clock.advance(25_000)
  expect(await look(beach, sessionId, token)).toBe(503)
})
