import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { createLogger, simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FalseProvider, type Lies } from './false-provider.ts'

const hello = defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' }))
const origin = 'http://127.0.0.1'
type Oidc = NonNullable<NonNullable<BeachOptions['access']>['oidc']>

async function started({ oidc = {}, access = {} }: { oidc?: Partial<Oidc>; access?: BeachOptions['access'] } = {}) {
  const lines: string[] = []
  const logger = createLogger({ level: 'debug', write: (line) => lines.push(line) })
  const runtime = simulatedRuntime({ logger })
  const provider = await FalseProvider.start(runtime.clock)
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { hello },
    inspect: true,
    runtime,
    access: {
      oidc: {
        issuer: provider.url,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        rolesOf: ({ groups }) => groups,
        ...oidc,
      },
      ...access,
    },
  })
  onTestFinished(() => beach.close())
  /** A browser of its own: cookies by name and path, as one that speaks with one host only. */
  const browser = (given: Iterable<readonly [string, Cookie]> = []) => {
    const jar = new Map<string, Cookie>(given)
    const ask = async (path: string, init: RequestInit = {}) => {
      const { pathname } = new URL(path, origin)
      const sent = [...jar].filter(([, cookie]) => pathname.startsWith(cookie.path))
      const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
      const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...(init.headers as object) }
      const response = await beach.fetch(new Request(new URL(path, origin), { ...init, headers }))
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (/Max-Age=0/.test(set)) jar.delete(name)
        else jar.set(name, { value, path: /Path=([^;]*)/.exec(set)?.[1] ?? '/' })
      }
      return response
    }
    const begin = async (to = '/') => {
      const response = await ask(`/login?to=${encodeURIComponent(to)}`)
      expect(response.status).toBe(303)
      return provider.authorize(response.headers.get('location') ?? '')
    }
    const back = (url: URL) => ask(url.pathname + url.search)
    const signIn = async (to?: string) => back(await begin(to))
    const me = async (path = '/approvals') => (await ask(path, { headers: { accept: 'application/json' } })).status
    return { ask, begin, back, signIn, me, jar }
  }
  return { provider, beach, browser, lines, clock: runtime.clock }
}

interface Cookie {
  readonly value: string
  readonly path: string
}

const bearer = (token: string) => ({ accept: 'application/json', authorization: `Bearer ${token}` })

describe('signing in', () => {
  test('makes a browser a person, who comes back to where they were', async () => {
    const { browser, provider } = await started()
    const { ask, begin, back, me, jar } = browser()
    const first = await ask('/approvals?x=1')
    expect(first.headers.get('location')).toBe(`${origin}/login?to=%2Fapprovals`)
    expect(await me()).toBe(401)
    const done = await back(await begin('/approvals?x=1'))
    expect([done.status, done.headers.get('location')]).toEqual([303, `${origin}/approvals?x=1`])
    for (const set of done.headers.getSetCookie()) expect(set).toMatch(/HttpOnly; SameSite=Lax$/)
    expect([...jar.keys()].toSorted()).toEqual(['beach_clerk', 'beach_clerk_id', 'beach_clerk_refresh'])
    expect(await me()).toBe(200)
    expect((await ask('/approvals')).status).toBe(200)
    expect(provider.requests.filter((path) => path === '/token')).toHaveLength(1)
  })

  test('is asked for by the page, the inbox and the inspector, and by nothing that programs call', async () => {
    const { browser } = await started()
    const { ask, me, signIn } = browser()
    for (const [path, to] of [
      ['/', '%2F'],
      ['/approvals', '%2Fapprovals'],
      ['/inspect/', '%2Finspect%2F'],
    ] as const) {
      const response = await ask(path)
      expect([response.status, response.headers.get('location')], path).toEqual([303, `${origin}/login?to=${to}`])
      expect(response.headers.getSetCookie(), path).toEqual([])
    }
    for (const path of ['/approvals', '/inspect/api/me']) expect(await me(path), path).toBe(401)
    expect((await ask('/inspect/?by=token')).status).toBe(200)
    await signIn()
    const page = await (await ask('/')).text()
    expect(page).toContain('{"label":"Sign out","url":"./logout"}')
    expect((await ask('/inspect/')).status).toBe(200)
    // The claims give the role of an approver, which does not look into the inspector.
    expect(await me('/inspect/api/me')).toBe(403)
  })

  test('with guests leads nobody away from the page, and offers to sign in there', async () => {
    const { browser } = await started({ access: { guests: true } })
    const { ask, me, signIn } = browser()
    const page = await ask('/')
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('"label":"Sign in"') as string])
    expect(await me()).toBe(200)
    await signIn()
    expect(await (await ask('/')).text()).toContain('"label":"Sign out"')
  })

  test.each([
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/./\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/a/..//evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['evil.example', '/'],
    ['/@evil.example', '/@evil.example'],
    ['/inspect/?a=b#/sessions/1', '/inspect/?a=b#/sessions/1'],
  ])('comes back to the agent only, whatever the link said: %s', async (to, path) => {
    const { browser } = await started()
    const done = await browser().signIn(to)
    expect(done.headers.get('location')).toBe(origin + path)
  })

  test('gives roles by claims of the ID token and of the provider’s UserInfo', async () => {
    const { provider, browser } = await started()
    provider.lies.claims = { groups: ['admin'] }
    const { signIn, me } = browser()
    await signIn()
    expect(await me('/inspect/api/me')).toBe(200)
    expect(await me('/inspect/api/audit/export')).toBe(200)
    provider.lies.claims = {}
    const other = browser()
    await other.signIn()
    expect(await other.me('/inspect/api/me')).toBe(403)
  })

  test('is refused for a person whom the application does not let in', async () => {
    const principalOf: Oidc['principalOf'] = ({ email }) => (typeof email === 'string' ? { id: email } : undefined)
    const { provider, browser } = await started({ oidc: { principalOf } })
    const { signIn, me } = browser()
    const refused = await signIn()
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('may not use this agent') as string,
    ])
    expect(await me()).toBe(401)
    provider.lies.userInfo = { email: 'anna@shop.example' }
    expect((await signIn()).status).toBe(303)
    expect(await me()).toBe(200)
  })

  test('ends when the time is over, however often it was used', async () => {
    const { browser } = await started({ oidc: { maxMs: 60_000 } })
    const { signIn, jar } = browser()
    await signIn()
    for (const name of ['beach_clerk', 'beach_clerk_refresh']) {
      const claims = JSON.parse(Buffer.from(jar.get(name)?.value.split('.')[1] ?? '', 'base64url').toString()) as {
        exp: number
        iat: number
      }
      expect(claims.exp - claims.iat, name).toBe(60)
    }
  })
})

describe('nobody is signed in', () => {
  const refusals: readonly (readonly [string, Lies])[] = [
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['audiences without the party that it was given to', { claims: { aud: ['beach-client', 'another-client'] } }],
    ['another authorized party', { claims: { aud: ['beach-client', 'x'], azp: 'another-client' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['no subject', { claims: { sub: undefined } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['an expiry that is over', { claims: { exp: 1_000_000 } }],
    ['a time of issue in the far future', { claims: { iat: 99_999_999_999 } }],
    ['no signature', { signature: 'none' }],
    ['a signature by a key that is not the provider’s', { signature: 'unpublished' }],
    ['a signature by the client’s secret', { signature: 'client secret' }],
    ['no ID token', { token: { id_token: undefined } }],
    ['a token of another type', { token: { token_type: 'mac' } }],
    ['UserInfo of another person', { userInfo: { sub: 'ben' } }],
  ]
  test.each(refusals)('by an answer with %s', async (_name, lies) => {
    const { provider, browser, lines } = await started()
    Object.assign(provider.lies, lies)
    const { signIn, me, jar } = browser()
    const refused = await signIn()
    expect(refused.status).toBe(401)
    expect(await refused.text()).toContain('Try again')
    expect([...jar.keys()].filter((name) => !name.includes('login'))).toEqual([])
    expect(await me()).toBe(401)
    expect(lines.join('\n')).not.toMatch(/code-\d|eyJ/)
  })

  test('by a code that is used twice, and a copied address in another browser', async () => {
    const { browser, provider } = await started()
    const { begin, back, jar } = browser()
    const url = await begin()
    const copied = new Map(jar)
    expect((await browser().back(url)).status).toBe(401)
    expect((await back(url)).status).toBe(303)
    expect((await back(url)).status).toBe(401)
    // Even with the cookie of the first time: an answer counts once, before the provider is asked.
    const asked = provider.requests.length
    expect((await browser(copied).back(url)).status).toBe(401)
    expect(provider.requests.slice(asked)).toEqual([])
  })

  test('by the code of another person, put into an address of one’s own', async () => {
    const { browser } = await started()
    const [victim, attacker] = [browser(), browser()]
    const [own, stolen] = [await attacker.begin(), await victim.begin()]
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    // PKCE binds the code to the browser that asked for it.
    expect((await attacker.back(own)).status).toBe(401)
    expect(await attacker.me()).toBe(401)
  })

  test.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['two states', (url: URL) => url.searchParams.append('state', 'y')],
    ['the answer of another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer, where the provider says that it names itself', (url: URL) => url.searchParams.delete('iss')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['a made-up code', (url: URL) => url.searchParams.set('code', 'made-up')],
  ])('by an address with %s', async (_name, change) => {
    const { browser } = await started()
    const { begin, back, me } = browser()
    const url = await begin()
    change(url)
    expect((await back(url)).status).toBe(401)
    expect(await me()).toBe(401)
  })

  test('where the person said no, which the page tells them', async () => {
    const { browser } = await started()
    const { begin, back } = browser()
    const url = await begin()
    url.searchParams.delete('code')
    url.searchParams.set('error', 'access_denied')
    const refused = await back(url)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('access was denied') as string,
    ])
  })

  test.each<[string, Lies]>([
    ['is down', { isDown: true }],
    ['names another issuer', { discovery: { issuer: 'https://evil.example' } }],
    [
      'sends browsers to an address without TLS',
      { discovery: { authorization_endpoint: 'http://evil.example/authorize' } },
    ],
    ['has its keys at an address without TLS', { discovery: { jwks_uri: 'http://evil.example/jwks' } }],
  ])('by a provider that %s: that is said as such', async (_name, lies) => {
    const { provider, browser } = await started()
    Object.assign(provider.lies, lies)
    const response = await browser().ask('/login')
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('by a key that the provider has not published yet; once it has, it counts without a restart', async () => {
    const { provider, browser, clock } = await started()
    expect((await browser().signIn()).status).toBe(303)
    await provider.rotate()
    // An unknown key is looked for once in 30 seconds, so that made-up ones cost the provider nothing.
    expect((await browser().signIn()).status).toBe(401)
    expect(provider.requests.filter((path) => path === '/jwks')).toHaveLength(1)
    await clock.advance(31_000)
    expect((await browser().signIn()).status).toBe(303)
    expect(provider.requests.filter((path) => path === '/jwks')).toHaveLength(2)
  })

  test('by a sign-in that was begun long ago', async () => {
    const { browser, clock } = await started()
    const { begin, back } = browser()
    const url = await begin()
    await clock.advance(15 * 60_000)
    expect((await back(url)).status).toBe(401)
  })
})

describe('signing out', () => {
  test('asks first, ends the login here, and leads on to the provider', async () => {
    const { browser, provider } = await started()
    const { ask, signIn, me, jar } = browser()
    await signIn()
    const copied = new Map(jar)
    expect(await (await ask('/logout')).text()).toContain('Sign out?')
    expect(await me()).toBe(200)
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const out = await ask('/logout', form)
    const url = new URL((out.headers.get('refresh') ?? '').replace('0; url=', ''))
    expect(url.origin + url.pathname).toBe(`${provider.url}/end`)
    expect(url.searchParams.get('client_id')).toBe(provider.clientId)
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${origin}/`)
    expect(url.searchParams.get('id_token_hint')).toBe(copied.get('beach_clerk_id')?.value)
    expect(await out.text()).toContain('You are signed out')
    expect([...jar.keys()]).toEqual([])
    expect(await browser(copied).me()).toBe(401)
  })

  test('is not done by the form of another site', async () => {
    const { browser } = await started()
    const { ask, signIn, me } = browser()
    await signIn()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }
    expect((await ask('/logout', { method: 'POST', headers })).status).toBe(403)
    expect(await me()).toBe(200)
  })

  test('works while the provider is down', async () => {
    const { browser, provider } = await started()
    const { ask, signIn, me } = browser()
    await signIn()
    provider.lies.isDown = true
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await ask('/logout', form)).status).toBe(200)
    expect(await me()).toBe(401)
  })
})

describe('the provider', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const right = { events, sid: 'session-1', jti: 'one', nonce: undefined }

  async function signedIn() {
    const { browser, provider, beach } = await started()
    const one = browser()
    await one.signIn()
    provider.lies.claims = { sid: 'session-2' }
    const two = browser()
    await two.signIn()
    const end = async (claims: Record<string, unknown>, lies?: Lies) => {
      const body = new URLSearchParams({ logout_token: await provider.sign(claims, lies) })
      return (await beach.fetch(new Request(`${origin}/login/ended`, { method: 'POST', body }))).status
    }
    return { end, one, two, provider, beach }
  }

  test('ends the logins of one of its sessions', async () => {
    const { end, one, two } = await signedIn()
    expect(await end(right)).toBe(200)
    expect([await one.me(), await two.me()]).toEqual([401, 200])
    expect(await end(right)).toBe(200)
  })

  test('ends all logins of a person', async () => {
    const { end, one, two } = await signedIn()
    expect(await end({ ...right, sid: undefined })).toBe(200)
    expect([await one.me(), await two.me()]).toEqual([401, 401])
  })

  test.each<[string, Record<string, unknown>, Lies?]>([
    ['no event', { ...right, events: undefined }],
    ['another event', { ...right, events: { 'https://example.com/other': {} } }],
    ['a nonce, as ID tokens have it', { ...right, nonce: 'one' }],
    ['neither session nor subject', { ...right, sid: undefined, sub: undefined }],
    ['another audience', { ...right, aud: 'another' }],
    ['another issuer', { ...right, iss: 'https://evil.example' }],
    ['no id', { ...right, jti: undefined }],
    ['an expiry that is over', { ...right, exp: 1_000_000 }],
    ['no signature', right, { signature: 'none' }],
    ['a signature by another key', right, { signature: 'unpublished' }],
  ])('ends nothing by a token with %s', async (_name, claims, lies) => {
    const { end, one, two } = await signedIn()
    expect(await end(claims, lies)).toBe(400)
    expect([await one.me(), await two.me()]).toEqual([200, 200])
  })
})

describe('a program', () => {
  async function calling(oidc?: Partial<Oidc>) {
    const { beach, provider } = await started(oidc && { oidc })
    const status = async (claims: Record<string, unknown>, lies?: Lies, path = '/approvals') => {
      const headers = bearer(await provider.sign(claims, lies))
      return (await beach.fetch(new Request(origin + path, { headers }))).status
    }
    return { beach, provider, status }
  }

  test('is known by an access token for the agent, and by an ID token of its client', async () => {
    const { status, provider } = await calling({ audience: 'https://clerk.example/api' })
    const api = { aud: 'https://clerk.example/api', azp: 'some-program' }
    expect(await status(api, { header: { typ: 'at+jwt' } })).toBe(200)
    expect(await status({ azp: provider.clientId })).toBe(200)
    expect(await status({ ...api, groups: ['reader'] }, {}, '/inspect/api/me')).toBe(200)
    expect(await status({ ...api, scope: 'inspect inspect:admin' }, {}, '/inspect/api/me')).toBe(403)
  })

  test.each<[string, Record<string, unknown>, Lies?]>([
    ['for another agent', { aud: 'https://other.example' }],
    ['that another client was given', { azp: 'another-client' }],
    ['that is over', { exp: 1_000_000 }],
    ['that logs out', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }],
    ['without a signature', {}, { signature: 'none' }],
    ['signed by another key', {}, { signature: 'unpublished' }],
    ['signed by the client’s secret', {}, { signature: 'client secret' }],
    ['of another issuer', { iss: 'https://evil.example' }],
  ])('is refused with a token %s', async (_name, claims, lies) => {
    const { status } = await calling()
    expect(await status(claims, lies)).toBe(401)
  })

  test('with a token of the agent itself is left to that', async () => {
    const { beach } = await started({ access: { guests: true } })
    const opened = await beach.fetch(new Request(`${origin}/sessions`, { method: 'POST' }))
    const { token } = (await opened.json()) as { token: string }
    expect((await beach.fetch(new Request(`${origin}/approvals`, { headers: bearer(token) }))).status).toBe(200)
  })

  test('is told to try again while the provider is down', async () => {
    const { status, provider } = await calling()
    provider.lies.isDown = true
    expect(await status({})).toBe(502)
  })
})

test.each<[Partial<Oidc>, string]>([
  [{ issuer: 'login.example' }, 'needs the `issuer`'],
  [{ issuer: 'http://login.example' }, 'must be an https URL'],
  [{ clientId: '' }, 'the `clientId`'],
  [{ maxMs: 1 }, 'at least a minute'],
])('a mistake in the settings is found at the start: %j', async (oidc, message) => {
  await expect(started({ oidc })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(message) as string,
  })
})
