import type { ServerResponse } from 'node:http'
import { BeachError, SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { newApiKey } from './api-key.ts'
import { authorisedFetch } from './authorised-fetch.ts'
import { credentialsFor } from './credentials-for.ts'
import type { Fetch } from './fetch.ts'
import { serveLoopback, type Received } from './loopback.test-helper.ts'
import type { ClientSecret, PeerSecret, SecretRef } from './secret-source.ts'

const peer = 'travel'
const secret: ClientSecret = { clientId: 'bax ter', clientSecret: 's:e%c/r&t' }
const unreachable = { code: 'UNREACHABLE', message: expect.stringContaining('Try again') as string }

function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A peer with a token endpoint of its own: tokens are numbered, and those in `good` let callers in. */
async function start(more: { secret?: PeerSecret; scope?: string | string[]; requiredScopes?: string[] } = {}) {
  const clock = new SimulatedClock()
  const state = { issued: 0, lifetime: 3_600 as number | undefined, isGood: (_token: string) => true, isSilent: false }
  const tokens: Received[] = []
  const server = await serveLoopback((received, response) => {
    if (received.path !== '/token') {
      const token = received.headers.authorization?.replace('Bearer ', '') ?? ''
      response.writeHead(state.isGood(token) ? 200 : 401).end(token)
      return
    }
    tokens.push(received)
    if (state.isSilent) return
    state.issued += 1
    const life = state.lifetime === undefined ? {} : { expires_in: state.lifetime }
    answerJson(response, { access_token: `token-${state.issued}`, token_type: 'Bearer', ...life })
  })
  const endpoint = `${server.url}/a2a`
  const auth = {
    type: 'oauth2',
    tokenEndpoint: `${server.url}/token`,
    ...(more.scope !== undefined && { scope: more.scope }),
  }
  const asked: SecretRef[] = []
  const secrets = async (ref: SecretRef) => {
    asked.push(ref)
    return more.secret ?? secret
  }
  const transport = { endpoint, auth, requiredScopes: more.requiredScopes ?? [] }
  const ask = authorisedFetch(transport, { peer, secrets, clock, fetch })
  const text = async () => (await ask(endpoint)).text()
  return { clock, state, tokens, ask, text, endpoint, asked, auth }
}

test('a token is had by the client-credentials grant and sent as bearer', async () => {
  const { text, tokens, asked, auth, endpoint } = await start({
    scope: 'read write',
    requiredScopes: ['write', 'talk'],
  })
  expect(await text()).toBe('token-1')
  const [request] = tokens
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'read write talk',
  })
  expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  const basic = Buffer.from(request?.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString()
  expect(basic).toBe('bax+ter:s%3Ae%25c%2Fr%26t')
  expect(asked).toEqual([
    {
      peer,
      type: 'oauth2',
      origin: new URL(endpoint).origin,
      tokenEndpoint: auth.tokenEndpoint,
      scopes: ['read', 'write', 'talk'],
    },
  ])
})

test('the secret may say how it is sent, for which scopes, and what else the endpoint wants', async () => {
  const parameters = { audience: 'https://travel.example', grant_type: 'password' }
  const { text, tokens } = await start({
    secret: { ...secret, sentBy: 'body', scopes: ['read'], parameters },
    scope: ['read', 'admin'],
  })
  await text()
  expect(tokens[0]?.headers).not.toHaveProperty('authorization')
  expect(Object.fromEntries(new URLSearchParams(tokens[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'read',
    audience: 'https://travel.example',
    client_id: secret.clientId,
    client_secret: secret.clientSecret,
  })
})

test('all requests that wait share one token, and later ones use it until shortly before its end', async () => {
  const { text, tokens, clock } = await start()
  expect(await Promise.all([text(), text(), text()])).toEqual(['token-1', 'token-1', 'token-1'])
  await clock.advance(3_569_999)
  expect(await text()).toBe('token-1')
  expect(tokens).toHaveLength(1)
  await clock.advance(1)
  expect(await text()).toBe('token-2')
})

test('a short token is used for half its life, one without a life for minutes', async () => {
  const { text, clock, state } = await start()
  state.lifetime = 10
  expect(await text()).toBe('token-1')
  await clock.advance(4_999)
  expect(await text()).toBe('token-1')
  state.lifetime = undefined
  await clock.advance(1)
  expect(await text()).toBe('token-2')
  await clock.advance(269_999)
  expect(await text()).toBe('token-2')
  await clock.advance(1)
  expect(await text()).toBe('token-3')
})

test('a token that the peer refuses is replaced once, for all calls that were refused', async () => {
  const { ask, text, state, tokens, endpoint } = await start()
  await text()
  state.isGood = (token) => token !== 'token-1'
  const answers = await Promise.all([ask(endpoint), ask(endpoint), ask(endpoint)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(tokens).toHaveLength(2)
  state.isGood = () => false
  expect((await ask(endpoint)).status).toBe(401)
  expect(tokens).toHaveLength(3)
})

test('a caller that gives up does not take the token away from the others', async () => {
  const { ask, text, state, tokens, endpoint, clock } = await start()
  state.isSilent = true
  const end = new AbortController()
  const impatient = ask(endpoint, { signal: end.signal })
  const patient = text()
  const both = Promise.allSettled([impatient, patient])
  await expect.poll(() => tokens.length).toBe(1)
  end.abort(new Error('enough'))
  await expect(impatient).rejects.toThrow('enough')
  await clock.advance(10_000)
  expect(await both).toMatchObject([{ reason: { message: 'enough' } }, { reason: unreachable }])
  expect(tokens).toHaveLength(1)
  state.isSilent = false
  expect(await text()).toBe('token-1')
})

test('a secret that is a string is a token already', async () => {
  const { text, tokens } = await start({ secret: 'ready-made' })
  expect(await text()).toBe('ready-made')
  expect(tokens).toHaveLength(0)
})

describe('where the secret goes', () => {
  const endpoint = 'https://travel.example/a2a'
  const own = 'https://travel.example/token'
  const foreign = 'https://login.example/token'

  /** The address that is asked for a token, or the error. */
  async function askedFor(inCard: string | undefined, besideSecret?: string): Promise<unknown> {
    const addresses: string[] = []
    const fetch: Fetch = async (url) => {
      addresses.push(url)
      return Response.json({ access_token: 'x', token_type: 'bearer' })
    }
    const auth = { type: 'oauth2', ...(inCard !== undefined && { tokenEndpoint: inCard }) }
    const given = { ...secret, ...(besideSecret !== undefined && { tokenEndpoint: besideSecret }) }
    const credentials = credentialsFor({ endpoint, auth }, { peer, secrets: async () => given, fetch })
    await credentials.forRequest({ method: 'GET', url: endpoint, headers: new Headers() })
    return addresses
  }

  test('is the card’s own origin', async () => {
    expect(await askedFor(own)).toEqual([own])
  })

  test('is another origin only where that is next to the secret', async () => {
    await expect(askedFor(foreign)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(foreign) as string,
    })
    expect(await askedFor(foreign, foreign)).toEqual([foreign])
    expect(await askedFor(undefined, foreign)).toEqual([foreign])
  })

  test('is nowhere else than what is next to the secret', async () => {
    await expect(askedFor(own, foreign)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  })

  test.each([undefined, 'http://travel.example/token', 'file:///etc/passwd'])('is not %s', async (address) => {
    await expect(askedFor(address, address)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  })
})

describe('an endpoint that gives no token', () => {
  async function failing(fetch: Fetch): Promise<unknown> {
    const endpoint = 'https://travel.example/'
    const auth = { type: 'oauth2', tokenEndpoint: 'https://travel.example/token' }
    const credentials = credentialsFor({ endpoint, auth }, { peer, secrets: async () => secret, fetch })
    return credentials
      .forRequest({ method: 'GET', url: endpoint, headers: new Headers() })
      .catch((error: unknown) => error)
  }

  test.each<[string, Fetch, object]>([
    [
      'because it refuses us',
      async () => Response.json({ error: 'invalid_client', error_description: secret.clientSecret }, { status: 401 }),
      { code: 'INVALID_CONFIGURATION', message: expect.stringContaining('(invalid_client)') as string },
    ],
    ['because it is broken', async () => new Response('oops', { status: 500 }), unreachable],
    ['because there is too much to do', async () => Response.json({}, { status: 429 }), unreachable],
    ['but sends us elsewhere', async () => new Response('', { status: 302, headers: { location: '/x' } }), unreachable],
    ['but something else', async () => Response.json({ access_token: 7 }), unreachable],
    ['but one of another type', async () => Response.json({ access_token: 'x', token_type: 'mac' }), unreachable],
    ['but two headers', async () => Response.json({ access_token: 'x\r\ny: z', token_type: 'bearer' }), unreachable],
    [
      'because the guard does not let us',
      async () => {
        throw new BeachError('ADDRESS_REFUSED', 'The address is not public.')
      },
      { code: 'ADDRESS_REFUSED' },
    ],
  ])('%s', async (_name, fetch, error) => {
    expect(await failing(fetch)).toMatchObject(error)
  })
})

test('a secret of another shape is a mistake', async () => {
  for (const given of [{ clientId: 'a' }, { clientId: 'a', clientSecret: 7 }, newApiKey().replace('_', ' ')]) {
    const { text } = await start({ secret: given })
    await expect(text()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  }
})
