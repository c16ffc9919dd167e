import { createServer, request as nodeRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import { afterAll, describe, expect, test } from 'vitest'
import { buildAgentCard } from './build-agent-card.ts'
import { agentCardToJson } from './card-json.ts'
import { fullCard, smallCard } from './sample-card.test-helper.ts'
import { wellKnownAgentCard } from './well-known-agent-card.ts'

const card = buildAgentCard(fullCard)
const published = agentCardToJson(card)
const path = '/.well-known/agent-card.json'
const closing: (() => unknown)[] = []

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

type Send = (path: string, init?: Asked) => Promise<Response>

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Asks a real server; the connection is not kept, so that the server can close. */
const over =
  (origin: string): Send =>
  (asked, init) =>
    fetch(`${origin}${asked}`, { ...init, headers: { ...init?.headers, connection: 'close' } })

async function withExpress(): Promise<Send> {
  const app = express()
  app.use(wellKnownAgentCard(card))
  app.use((_request, response) => void response.status(404).send('something else'))
  return over(await listen(createServer(app)))
}

async function withFastify(): Promise<Send> {
  const app = fastify()
  await app.register(wellKnownAgentCard(card))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('something else'))
  closing.push(() => app.close())
  return over(await app.listen({ port: 0, host: '127.0.0.1' }))
}

async function withHono(): Promise<Send> {
  const app = new Hono()
  app.use(wellKnownAgentCard(card))
  app.all('*', (context) => context.text('something else', 404))
  return async (asked, init) => app.request(`http://127.0.0.1${asked}`, init)
}

async function withNode(): Promise<Send> {
  const serve = wellKnownAgentCard(card)
  const server = createServer((request, response) => {
    serve(request, response, () => response.writeHead(404).end('something else'))
  })
  return over(await listen(server))
}

async function withWeb(): Promise<Send> {
  const serve = wellKnownAgentCard(card)
  return async (asked, init) =>
    serve(new Request(`http://127.0.0.1${asked}`, init)) ?? new Response('something else', { status: 404 })
}

const frameworks: [string, Promise<Send>][] = [
  ['Express', withExpress()],
  ['Fastify', withFastify()],
  ['Hono', withHono()],
  ['Node', withNode()],
  ['a Web-standard server', withWeb()],
]

afterAll(async () => {
  for (const close of closing) await close()
})

describe.each(frameworks)('with %s', (name, starting) => {
  test('the card is served with a tag, for an hour, to every caller', async () => {
    const send = await starting
    const response = await send(`${path}?v=1`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(published)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      etag: expect.stringMatching(/^"[^"]+"$/),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag',
      'x-content-type-options': 'nosniff',
      'content-length': String(Buffer.byteLength(JSON.stringify(published))),
    })
  })

  test('HEAD says the same without the card', async () => {
    const send = await starting
    const [get, head] = [await send(path), await send(path, { method: 'HEAD' })]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    const { date: _one, ...expected } = Object.fromEntries(get.headers)
    const { date: _other, ...headers } = Object.fromEntries(head.headers)
    expect(headers).toEqual(expected)
  })

  test('who has it already is told so', async () => {
    const send = await starting
    const etag = (await send(path)).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await send(path, { method, headers: { 'if-none-match': known } })
        expect(response.status).toBe(304)
        expect(await response.text()).toBe('')
        expect(response.headers.get('etag')).toBe(etag)
        expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
      }
    }
    expect((await send(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is not allowed, whatever comes with it', async (method) => {
    const send = await starting
    const headers = { 'content-type': 'application/x-unheard-of', 'if-none-match': '*' }
    const response = await send(path, { method, headers, body: 'anything' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
  })

  test('a browser may ask first', async () => {
    const send = await starting
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    const response = await send(path, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': '*',
    })
  })

  test.each(['/', `${path}/`, `/x${path}`, `${path}x`, '/.well-known/'])('%s is something else', async (asked) => {
    const send = await starting
    const response = await send(asked)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('something else')
  })

  test('it is the same answer as everywhere', async () => {
    const send = await starting
    const [, web] = frameworks.at(-1) ?? []
    const [here, there] = [await send(path), await (await web)?.(path)]
    expect(here.headers.get('etag')).toBe(there?.headers.get('etag'))
    expect(await here.text(), name).toBe(await there?.text())
  })
})

test('the SDK’s client finds the card', async () => {
  const app = express()
  app.use(wellKnownAgentCard(card))
  const origin = await listen(createServer(app))
  const found = await new DefaultAgentCardResolver().resolve(origin)
  expect(agentCardToJson(found)).toEqual(published)
})

test('an Express application may mount it at its path or under a folder', async () => {
  const app = express()
  app.use('/agents/harbour', wellKnownAgentCard(card))
  app.use(path, wellKnownAgentCard(buildAgentCard({ ...smallCard, generatedAt: '2026-04-20T09:50:00Z' })))
  const send = over(await listen(createServer(app)))
  expect(await (await send(`/agents/harbour${path}`)).json()).toMatchObject({ name: 'Harbour' })
  expect(await (await send(path)).json()).toMatchObject({ name: 'Small' })
})

test('a request target that is no path is something else', async () => {
  const serve = wellKnownAgentCard(card)
  const origin = await listen(createServer((request, response) => serve(request, response, () => response.end('else'))))
  const text = await new Promise<string>((resolve, reject) => {
    const asked = nodeRequest(origin, { path: '*', method: 'OPTIONS', agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve)
    })
    asked.once('error', reject).end()
  })
  expect(text).toBe('else')
})

describe('options', () => {
  const headersOf = (...given: Parameters<typeof wellKnownAgentCard>) =>
    wellKnownAgentCard(...given)(new Request(`http://127.0.0.1${given[1]?.path ?? path}`))?.headers

  test('say how long a card may be kept, and where it is found', () => {
    expect(headersOf(card, { maxAgeSeconds: 60 })?.get('cache-control')).toBe('public, max-age=60')
    expect(headersOf(card, { maxAgeSeconds: 0 })?.get('cache-control')).toBe('public, max-age=0')
    expect(headersOf(card, { path: '/cards/harbour.json' })?.get('etag')).toBe(headersOf(card)?.get('etag'))
    expect(wellKnownAgentCard(card, { path: '/a' })(new Request(`http://127.0.0.1${path}`))).toBeUndefined()
  })

  test.each([-1, 1.5, Number.NaN])('a time of %s seconds is refused', (maxAgeSeconds) => {
    expect(() => wellKnownAgentCard(card, { maxAgeSeconds })).toThrow('a whole number of seconds')
  })

  test('a path that is none is refused', () => {
    expect(() => wellKnownAgentCard(card, { path: 'agent-card.json' })).toThrow("must start with '/'")
  })

  test('another card has another tag', () => {
    const etag = (generatedAt: string) => headersOf(buildAgentCard({ ...fullCard, generatedAt }))?.get('etag')
    expect(etag('2026-04-20T09:50:00Z')).toBe(headersOf(card)?.get('etag'))
    expect(etag('2026-04-20T09:50:01Z')).not.toBe(headersOf(card)?.get('etag'))
  })
})
