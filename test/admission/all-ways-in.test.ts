import { request } from 'node:http'
import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { simulatedRuntime, type Channel, type ChannelContext, type Principal, type Slice } from '@cool-ai/beach-core'
import { cron } from '@cool-ai/beach-hooks'
import { TrieRouter } from 'hono/router/trie-router'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { everyChannel } from '../support/every-channel.ts'

const principals: Readonly<Record<string, Principal>> = {
  ann: { kind: 'user', id: 'ann', tenant: 'default' },
  op: { kind: 'operator', id: 'op', tenant: 'default' },
}

const daily = { cron: '0 0 1 1 *', session: 'new', parts: [{ partType: 'message', text: 'Go on.' }] } as const

/** A channel of an application's own: it does nothing for its admission. */
function ownChannel(): { channel: Channel; context: () => ChannelContext } {
  let given: ChannelContext | undefined
  const channel: Channel = {
    transport: 'own',
    deliveryClass: 'buffered',
    start: async (context) => void (given = context),
    paths: ['/own', '/own/*'],
    fetch: async () => new Response('own'),
  }
  return {
    channel,
    context: () => {
      if (given === undefined) throw new Error('The channel has not been started.')
      return given
    },
  }
}

const counter: Slice<number> = {
  ns: 'counter',
  version: 1,
  initial: 0,
  fold: (state) => state,
  handle: () => ({ drafts: [], reply: { answer: { status: 'accepted' } } }),
}

async function equipped(options: Partial<BeachOptions> = {}) {
  const own = ownChannel()
  const sessionsOf = new Map<string, unknown>()
  const channels = [...everyChannel(), cron({ jobs: { daily } }), own.channel].map((channel): Channel => {
    const start = channel.start.bind(channel)
    return Object.assign(channel, {
      start: async (context: ChannelContext) => {
        sessionsOf.set(channel.transport, context.sessions)
        return start(context)
      },
    })
  })
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.' },
    data: 'memory',
    actors: { main: defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' })) },
    publicUrl: 'https://clerk.example/',
    channels,
    slices: [counter],
    inspect: { operators: { anna: 'x'.repeat(32) } },
    telemetry: { metrics: true },
    memory: true,
    runtime: simulatedRuntime(),
    access: {
      hosts: ['clerk.example'],
      remoteAddress: ({ headers }) => headers.get('x-from') ?? undefined,
      authenticators: [
        async ({ headers }) => {
          const principal = principals[headers.get('x-who') ?? '']
          return principal && { principal, credential: { type: 'test' } }
        },
      ],
    },
    ...options,
  })
  return { beach, own, sessionsOf }
}

type Agent = Awaited<ReturnType<typeof equipped>>

interface WayIn {
  readonly method: string
  readonly path: string
  readonly schemes: readonly string[]
}

/** Those of the OpenAPI document, and those that the routers know and the document does not describe. */
async function waysIn({ beach, own }: Agent): Promise<WayIn[]> {
  const response = await beach.fetch(new Request('http://127.0.0.1/openapi.json'))
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { security?: readonly Record<string, unknown>[] }>>
  }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, 'some-$1'),
      schemes: security.flatMap((one) => Object.keys(one)),
    })),
  )
  const others = ['/', '/assets/page.js', '/inspect', '/a2a/rest/v1/card', ...(own.channel.paths ?? [])]
  const methods = ['GET', 'POST', 'DELETE', 'OPTIONS']
  const undescribed = others.flatMap((path) =>
    methods.map((method) => ({ method, path: path.replace('*', 'any'), schemes: [] })),
  )
  return [...described, ...undescribed]
}

const isProbe = ({ path }: WayIn) => path === '/healthz' || path === '/readyz'

let networks = 0
const newNetwork = () => `2001:db8:${(++networks).toString(16)}::1`

function ask({ beach }: Agent, { method, path }: Pick<WayIn, 'method' | 'path'>, headers: Record<string, string>) {
  const body = method === 'POST' ? { body: '{}' } : {}
  const given = { 'content-type': 'application/json', ...headers }
  return beach.fetch(new Request(`http://127.0.0.1${path}`, { method, headers: given, ...body }))
}

describe('of a fully equipped agent', () => {
  let agent: Agent
  let ways: readonly WayIn[]
  let registered: readonly string[]
  beforeAll(async () => {
    const adding = vi.spyOn(TrieRouter.prototype, 'add')
    agent = await equipped({ limits: { network: { requests: { perMinute: 2 } } } })
    ways = await waysIn(agent)
    registered = [...new Set(adding.mock.calls.map(([, path]) => path))]
    adding.mockRestore()
    return () => agent.beach.close()
  })

  test('every route that the agent has registered is among them', () => {
    const patterns = ways.map(({ path }) => path.replaceAll(/\bsome-(\w+)/g, ':$1'))
    const isThere = (route: string) => {
      const pattern = new RegExp(`^${route.replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+')}$`)
      return patterns.some((path) => pattern.test(path))
    }
    expect(registered.length).toBeGreaterThan(60)
    expect(registered.filter((route) => !isThere(route))).toEqual([])
  })

  test('there are routes of every channel', () => {
    const paths = ways.map(({ path }) => path)
    for (const path of ['/sessions', '/a2a', '/mcp', '/agui', '/channels/chat/some-adapter', '/metrics', '/chat'])
      expect(paths).toContain(path)
    expect(ways.length).toBeGreaterThan(80)
  })

  test('every route refuses a network that has had too much, in the same form, and lets those in who are known', async () => {
    for (const way of ways) {
      const from = { 'x-from': newNetwork() }
      const where = `${way.method} ${way.path}`
      for (let n = 0; n < 2; n++) expect((await ask(agent, way, from)).status, where).not.toBe(429)
      const refused = await ask(agent, way, from)
      if (isProbe(way)) expect(refused.status, where).toBeLessThan(500)
      else {
        expect([refused.status, refused.headers.get('retry-after')], where).toEqual([429, '30'])
        expect(await refused.json(), where).toMatchObject({ error: { code: 'TOO_MANY' } })
        expect((await ask(agent, way, { ...from, 'x-who': 'ann' })).status, where).not.toBe(429)
      }
    }
  })

  test('every route that is for callers asks who they are, and those for operators let no others in', async () => {
    const forCallers = ways.filter(({ schemes }) => schemes.includes('bearer'))
    const forOperators = ways.filter(({ schemes }) => schemes.includes('operator'))
    expect(forCallers.length).toBeGreaterThan(10)
    expect(forOperators.length).toBeGreaterThan(20)
    for (const way of [...forCallers, ...forOperators]) {
      const where = `${way.method} ${way.path}`
      const wrong = await ask(agent, way, { 'x-from': newNetwork(), authorization: 'Bearer nobody' })
      // A WebSocket is asked when it is upgraded, below.
      expect(wrong.status, where).toBe(way.path.endsWith('/ws') ? 426 : 401)
    }
    for (const way of forOperators) {
      const asUser = await ask(agent, way, { 'x-from': newNetwork(), 'x-who': 'ann' })
      expect(asUser.status, `${way.method} ${way.path}`).toBe(403)
    }
  })

  test('every channel is given the sessions that count', () => {
    expect([...agent.sessionsOf.keys()].toSorted()).toEqual([
      'chat',
      'cron',
      'own',
      'sms',
      'smtp',
      'webhook',
      'whatsapp',
    ])
    for (const [transport, sessions] of agent.sessionsOf) expect(sessions, transport).toBe(agent.beach.sessions)
  })
})

test.each(['/sessions/some-id/ws', '/counter/ws', '/nothing'])(
  'an upgrade at %s is refused as a request is, when the network has had too much',
  async (path) => {
    const { beach } = await equipped({ limits: { network: { requests: { perMinute: 1 } } } })
    const { url } = await beach.listen({ port: 0, signals: false })
    onTestFinished(() => beach.close())
    const upgrade = async () => {
      const headers = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'x-from': '192.0.2.1',
      }
      const { promise, resolve, reject } = Promise.withResolvers<{ status: number; retryAfter: unknown }>()
      const asked = request(`${url}${path}`, { headers })
      asked.on('response', (response) => {
        response.resume()
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
      })
      asked.on('upgrade', (_, socket) => {
        socket.destroy()
        resolve({ status: 101, retryAfter: undefined })
      })
      asked.on('error', reject)
      asked.end()
      return promise
    }
    expect((await upgrade()).status).toBe(path === '/nothing' ? 404 : 101)
    expect(await upgrade()).toEqual({ status: 429, retryAfter: '60' })
  },
)

describe('what goes into sessions without a request, as by mail, jobs and pipes', () => {
  const { ann } = principals as { readonly ann: Principal }
  const from = { id: 'own:1', transport: 'own', deliveryClass: 'buffered', principal: ann } as const
  const message = { parts: [{ text: 'hello', metadata: { partType: 'message' } }], from }
  const start = async (limits: BeachOptions['limits']) => {
    const agent = await equipped({ limits })
    onTestFinished(() => agent.beach.close())
    return agent.own.context().sessions
  }
  const tooMany = { code: 'TOO_MANY' }

  test('is counted as sessions', async () => {
    const sessions = await start({ principal: { sessions: { perMinute: 3 } } })
    await sessions.open({ principal: ann })
    await sessions.post('sess_a', message, ann, {})
    await sessions.post('sess_b', message, ann, { isNew: true })
    await expect(sessions.open({ principal: ann })).rejects.toMatchObject(tooMany)
    await expect(sessions.open({ principal: ann, id: 'sess_c' })).rejects.toMatchObject(tooMany)
    await expect(sessions.post('sess_d', message, ann, {})).rejects.toMatchObject(tooMany)
    await expect(sessions.handle('sess_e', 'counter', {}, ann, {})).resolves.toBeDefined()
    // What goes on with a session begins none.
    await sessions.post('sess_a', message, ann, {})
    expect((await sessions.list({}, ann)).items).toHaveLength(3)
  })

  test('is counted as messages, whether they are posted, taken or said to a slice', async () => {
    const sessions = await start({ principal: { messages: { perMinute: 3 } } })
    const session = await sessions.open({ principal: ann })
    await sessions.post(session, message, ann)
    await sessions.take(session, message, ann)
    await sessions.handle(session, 'counter', {}, ann)
    await expect(sessions.post(session, message, ann)).rejects.toMatchObject(tooMany)
    await expect(sessions.take(session, message, ann)).rejects.toMatchObject(tooMany)
    await expect(sessions.handle(session, 'counter', {}, ann)).rejects.toMatchObject(tooMany)
  })
})
