import { createBeach, defineActor, type Beach } from '@cool-ai/beach'
import type { Principal } from '@cool-ai/beach-core'
import { expect, onTestFinished, test } from 'vitest'
import { counterSlice } from '../slices/counter.ts'

const shop = 'https://shop.example'
const evil = 'https://evil.example'
/** It is public: every page may read it, and none with credentials. */
const card = '/.well-known/agent-card.json'
/** So is the script of `<beach-chat>`, which says nothing of the agent, and the refusal that it shows. */
const publicPaths: ReadonlySet<string> = new Set([card, '/beach-chat.js', '/beach-chat/x', '/beach-chat.json'])

async function agent(origins?: readonly string[], authenticators: readonly never[] = []): Promise<Beach> {
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.', capabilities: [] },
    data: 'memory',
    publicUrl: 'http://127.0.0.1',
    actors: { main: defineActor(async ({ respond }) => respond({ parts: [{ partType: 'response', text: 'Yes.' }] })) },
    access: { origins, authenticators },
    slices: [counterSlice()],
  })
  onTestFinished(() => beach.close())
  return beach
}

/** Every route of the agent, as its OpenAPI document lists them, with some value in the place of each variable. */
async function routesOf(beach: Beach): Promise<{ path: string; method: string }[]> {
  const document = await beach.fetch(new Request('http://127.0.0.1/openapi.json'))
  const { paths } = (await document.json()) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path: path.replaceAll(/\{\w+\}/g, 'x'), method: method.toUpperCase() })),
  )
}

function asked(path: string, method: string, origin: string, more: Record<string, string> = {}): Request {
  const body = method === 'GET' || method === 'DELETE' ? null : '{}'
  const headers = { origin, 'content-type': 'application/json', ...more }
  return new Request(`http://127.0.0.1${path}`, { method, headers, body })
}

function preflightOf(path: string, method: string, origin: string): Request {
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization, idempotency-key',
  }
  return new Request(`http://127.0.0.1${path}`, { method: 'OPTIONS', headers })
}

test('a listed origin may call every route of every channel, and read every answer', async () => {
  const beach = await agent([shop])
  const routes = await routesOf(beach)
  const paths = routes.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining(['/sessions', '/sessions/x/events', '/agui', '/mcp', '/a2a', '/counter/events']),
  )
  for (const { path, method } of routes) {
    const allowed = await beach.fetch(preflightOf(path, method, shop))
    const { headers } = allowed
    expect([path, method, allowed.status, headers.get('access-control-allow-origin')]).toEqual([
      path,
      method,
      204,
      shop,
    ])
    expect(headers.get('access-control-allow-methods')).toContain(method)
    expect(headers.get('access-control-allow-headers')).toBe('authorization, idempotency-key')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    const answer = await beach.fetch(asked(path, method, shop))
    await answer.body?.cancel()
    const origin = answer.headers.get('access-control-allow-origin')
    expect([path, method, origin]).toEqual([path, method, shop])
    expect(answer.headers.get('vary')?.split(', ')).toContain('origin')
  }
})

test('every other origin is refused on every route, by each agent that lists none or another', async () => {
  for (const beach of [await agent([shop]), await agent()]) {
    for (const { path, method } of await routesOf(beach)) {
      if (publicPaths.has(path)) continue
      for (const origin of [evil, 'null', `${shop}.evil.example`, `${shop}:8443`, 'https://SHOP.example']) {
        const refused = await beach.fetch(preflightOf(path, method, origin))
        expect([path, origin, refused.status]).toEqual([path, origin, 403])
        const answer = await beach.fetch(asked(path, method, origin))
        await answer.body?.cancel()
        for (const response of [refused, answer]) {
          expect([path, response.headers.get('access-control-allow-origin')]).toEqual([path, null])
          expect(response.headers.get('access-control-allow-credentials')).toBeNull()
        }
        if (method !== 'GET') expect([path, method, answer.status]).toEqual([path, method, 403])
      }
    }
  }
})

test('the refusal says which origin to list where', async () => {
  const beach = await agent([shop])
  const refused = await beach.fetch(asked('/sessions', 'POST', evil))
  expect(await refused.json()).toEqual({
    error: {
      id: refused.headers.get('x-error-id'),
      code: 'FORBIDDEN',
      message: `Pages of ${evil} may not call this agent. Add the origin to \`access.origins\` of createBeach if they should.`,
    },
  })
})

test('answers to callers without an origin are not kept for pages of another', async () => {
  const beach = await agent([shop])
  const page = await beach.fetch(new Request('http://127.0.0.1/openapi.json'))
  expect(page.headers.get('vary')).toContain('origin')
  expect(page.headers.get('access-control-allow-origin')).toBeNull()
  const read = await beach.fetch(asked(card, 'GET', evil))
  expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(read.headers.get('access-control-allow-credentials')).toBeNull()
})

test('the cookie of the agent’s own pages does not count for a listed page, a credential of the application does', async () => {
  const ann: Principal = { kind: 'user', id: 'ann', tenant: 'default' }
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { main: defineActor(async () => {}) },
    access: {
      origins: [shop],
      authenticators: [
        async (request) =>
          request.headers.get('cookie')?.includes('app=ann')
            ? { principal: ann, credential: { type: 'app' } }
            : undefined,
      ],
    },
  })
  onTestFinished(() => beach.close())
  const page = await beach.fetch(new Request('http://127.0.0.1/'))
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
  const opened = async (request: Request) => (await beach.fetch(request)).json() as Promise<{ sessionId: string }>
  const own = await opened(asked('/sessions', 'POST', 'http://127.0.0.1', { cookie }))
  const looked = await beach.fetch(asked(`/sessions/${own.sessionId}`, 'GET', shop, { cookie }))
  expect(looked.status).toBe(401)
  const hers = await opened(asked('/sessions', 'POST', shop, { cookie: 'app=ann' }))
  const shown = await beach.fetch(asked(`/sessions/${hers.sessionId}`, 'GET', shop, { cookie: 'app=ann' }))
  expect(shown.status).toBe(200)
})

test.each([
  ['*', 'no wildcards'],
  ['https://shop.example/', "Did you mean 'https://shop.example'?"],
  ['shop.example', "Did you mean 'https://shop.example'?"],
  ['null', 'scheme, host and port only'],
])('an agent does not start with the entry %s', async (origin, advice) => {
  await expect(agent([origin])).rejects.toThrow(`access.origins has '${origin}'. `)
  await expect(agent([origin])).rejects.toThrow(advice)
})
