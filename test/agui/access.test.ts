import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { HttpAgentFetchFn } from '@ag-ui/client'
import { AgentCapabilitiesSchema } from '@ag-ui/core/schemas'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import type { Clock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { clients, Gate, newToken, runtime, startAgent, StockAgent } from './agent.ts'

const uuid = () => crypto.randomUUID()

function input(text = 'hello', more: object = {}) {
  const messages = [{ id: uuid(), role: 'user', content: text }]
  return { threadId: uuid(), runId: uuid(), messages, tools: [], context: [], ...more }
}

interface CallOptions {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

async function call(url: string, options: CallOptions = {}) {
  const { method = 'POST', path = '/agui', headers = {}, body } = options
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function errorIn({ text }: { readonly text: string }): { code: string; message: string } {
  return (JSON.parse(text) as { error: { code: string; message: string } }).error
}

describe('garbage is refused before a run begins, with a sentence that helps', () => {
  test.each<[string, unknown, number, RegExp]>([
    ['no body', undefined, 400, /no RunAgentInput/],
    ['no JSON', '{', 400, /not valid JSON/],
    ['a list', [], 400, /no RunAgentInput/],
    ['nothing', {}, 400, /threadId.*runId.*messages/],
    ['an empty thread id', input('x', { threadId: '' }), 400, /length of threadId/],
    ['a long run id', input('x', { runId: 'x'.repeat(257) }), 400, /length of runId/],
    ['a message without an id', input('x', { messages: [{ role: 'user', content: 'x' }] }), 400, /messages\.0\.id/],
    ['a message of no role', input('x', { messages: [{ id: '1', role: 'king', content: 'x' }] }), 400, /messages\.0/],
    [
      'content of no kind',
      input('x', { messages: [{ id: '1', role: 'user', content: [{ type: 'smell' }] }] }),
      400,
      /messages\.0\.content/,
    ],
    ['a resume entry without a status', input('x', { resume: [{ interruptId: '1' }] }), 400, /resume\.0\.status/],
    [
      'too many messages',
      input('x', { messages: Array.from({ length: 1_001 }, (_, id) => ({ id: `${id}`, role: 'user', content: 'x' })) }),
      413,
      /1000 messages/,
    ],
    [
      'too much context',
      input('x', { context: Array.from({ length: 101 }, () => ({ description: 'd', value: 'v' })) }),
      413,
      /100 entries of context/,
    ],
    ['a message that is too large', input('x'.repeat(300_000)), 413, /bytes/],
    ['a body that is too large', input('x'.repeat(3_000_000)), 413, /body is larger/],
    ['something deep', `{"threadId":${'['.repeat(100)}${']'.repeat(100)}}`, 400, /deeper/],
    ['a prototype', '{"__proto__":{"polluted":true}}', 400, /__proto__/],
    [
      'an action that is none',
      input('x', { forwardedProps: { a2uiAction: { userAction: 'press' } } }),
      400,
      /userAction/,
    ],
  ])('%s', async (_, body, status, message) => {
    const { url } = await startAgent()
    const answer = await call(url, { body })
    expect(answer.status).toBe(status)
    expect(errorIn(answer).message).toMatch(message)
    expect(({} as { polluted?: true }).polluted).toBeUndefined()
  })

  test('another type of body', async () => {
    const { url } = await startAgent()
    const answer = await call(url, { body: JSON.stringify(input()), headers: { 'content-type': 'text/plain' } })
    expect(errorIn(answer)).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test('what is not known is left alone, and what earlier clients write is understood', async () => {
    const { url } = await startAgent()
    const odd = {
      ...input(),
      forwardedProps: null,
      state: null,
      future: { field: 1 },
      tools: [{ name: 't', description: 'd', parameters: null }],
    }
    const { status, text } = await call(url, { body: odd })
    expect(status).toBe(200)
    expect(text).toMatch(/You said [^]*hello/)
  })
})

test('a run that brings nothing to a thread that is not there ends at once', async () => {
  const { url } = await startAgent()
  const { status, text, headers } = await call(url, { body: input('x', { messages: [] }) })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/event-stream')
  const types = text
    .split('\n\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line.slice('data: '.length)) as { type: string }).type)
  expect(types).toEqual(['RUN_STARTED', 'RUN_FINISHED'])
})

describe('other methods and paths', () => {
  test('GET says what to do instead', async () => {
    const { url } = await startAgent()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await call(url, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      expect(errorIn(answer).message).toMatch(/POST a RunAgentInput; `GET \/agui\/capabilities`/)
    }
    expect((await call(url, { method: 'GET', path: '/agui/other' })).status).toBe(404)
    expect((await call(url, { method: 'GET', path: '/agui/cancel' })).status).toBe(405)
  })

  test('the agent says what it can do, in AG-UI’s own shape', async () => {
    const { url } = await startAgent()
    const { status, text } = await call(url, { method: 'GET', path: '/agui/capabilities' })
    expect(status).toBe(200)
    const capabilities = AgentCapabilitiesSchema.parse(JSON.parse(text))
    expect(capabilities).toMatchObject({ identity: { name: 'Tester' }, humanInTheLoop: { interrupts: true } })
  })

  test('an agent may be without AG-UI', async () => {
    const { url } = await startAgent({ protocols: { agui: false } })
    expect((await call(url, { body: input() })).status).toBe(404)
  })
})

describe('callers by AG-UI:', () => {
  test.each(clients)('a guest’s thread is found by its name alone, which must be hard to guess: %s', async (client) => {
    const { url } = await startAgent()
    const stock = new StockAgent({ url, client })
    await stock.say('hello')
    const again = new StockAgent({ url, client, threadId: stock.threadId })
    await again.run()
    expect(again.texts('user')).toEqual(['hello'])
    for (const threadId of ['thread-1', 'thread-0000000000000000000000000000001', 'x'.repeat(64)]) {
      const guessable = new StockAgent({ url, client, threadId })
      expect((await guessable.say('hello')).rejected?.message).toMatch(
        /401.*cannot be guessed, such as a UUID.*https:\S+http\.md#threads-of-guests/,
      )
    }
  })

  test.each(clients)(
    'a page of the agent’s own origin may use a short name: its guest has a cookie: %s',
    async (client) => {
      const { url } = await startAgent()
      /** A browser: it says where its page is from, and keeps the cookies of that place. */
      const browser = () => {
        let cookie = ''
        const browse: HttpAgentFetchFn = async (to, init) => {
          const headers = { ...(init.headers as object), origin: url, ...(cookie !== '' && { cookie }) }
          const response = await fetch(to, { ...init, headers })
          cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
          return response
        }
        return browse
      }
      const mine = browser()
      const stock = new StockAgent({ url, client, threadId: 'main', fetch: mine })
      expect((await stock.say('hello')).rejected).toBeUndefined()
      await stock.say('again')
      const page = new StockAgent({ url, client, threadId: 'main', fetch: mine })
      await page.run()
      expect(page.texts('user')).toEqual(['hello', 'again'])
      // Another browser has another thread of that name.
      const other = new StockAgent({ url, client, threadId: 'main', fetch: browser() })
      await other.run()
      expect(other.messages).toEqual([])
    },
  )

  test('a page of another origin gets no cookie', async () => {
    const { url } = await startAgent()
    const body = input('hello', { threadId: 'main' })
    const answer = await call(url, { body, headers: { origin: 'http://localhost:5173' } })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
  })

  test('guests may be kept out', async () => {
    const { url } = await startAgent({ protocols: { agui: { guests: false } } })
    const answer = await call(url, { body: input() })
    expect([answer.status, errorIn(answer).code]).toEqual([401, 'UNAUTHENTICATED'])
    const stock = new StockAgent({ url, token: await newToken(url), threadId: 'mine' })
    expect((await stock.say('hello')).error).toBeUndefined()
  })

  test('a bad token is an error, not a guest', async () => {
    const { url } = await startAgent()
    const answer = await call(url, { body: input(), headers: { authorization: 'Bearer v1.x.y' } })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  const page: BeachOptions['page'] = () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } })

  test('the page’s cookie counts for the page, and for no other site', async () => {
    const { url } = await startAgent({ page })
    const cookie = ((await call(url, { method: 'GET', path: '/' })).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const body = input('hello', { threadId: 'short' })
    expect((await call(url, { body, headers: { cookie, origin: url } })).status).toBe(200)
    for (const origin of ['https://evil.example', 'http://localhost:3000', 'null']) {
      const answer = await call(url, { body, headers: { cookie, origin } })
      expect([origin, answer.status]).toEqual([origin, 403])
    }
  })

  test('pages of other sites may call only where the agent allows it', async () => {
    const { url } = await startAgent({ protocols: { agui: { origins: ['https://shop.example'] } } })
    const body = input()
    const refused = await call(url, { body, headers: { origin: 'https://evil.example' } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null])
    for (const origin of ['https://shop.example', 'http://localhost:5173']) {
      const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
      const asked = await call(url, { method: 'OPTIONS', headers: { origin, ...asks } })
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin])
      expect(asked.headers.get('access-control-allow-headers')).toMatch(/authorization/)
      expect(asked.headers.get('access-control-allow-credentials')).toBeNull()
      const answered = await call(url, { body: input(), headers: { origin } })
      expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([200, origin])
      const wrong = await call(url, { body: {}, headers: { origin } })
      expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([400, origin])
    }
  })

  test('the agent answers to its own names only', async () => {
    const { url } = await startAgent()
    const { port } = new URL(url)
    const body = JSON.stringify(input())
    const head = `POST /agui HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head + body))
      let text = ''
      socket.on('data', (data) => (text += data.toString())).on('close', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1.1 421/)
  })
})

/** Speaks until it is told to stop. */
function endless() {
  const gate = new Gate()
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [{ partType: 'ack', text: 'I begin.' }], turnState: 'awaiting' })
    await gate.opened
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  return { actor, open: () => gate.open() }
}

describe('limits', () => {
  test('one principal may have so many runs open, and guests of one address together', async () => {
    const { actor, open } = endless()
    const { url } = await startAgent({ actors: { actor }, access: { limits: { streamsPerPrincipal: 2 } } })
    const token = await newToken(url)
    const open2 = async (more: { token?: string }) => {
      const stocks = [new StockAgent({ url, ...more }), new StockAgent({ url, ...more })]
      const begun = stocks.map(() => new Gate())
      const runs = stocks.map((stock, index) => stock.say('go', {}, { onRunStartedEvent: () => begun[index]?.open() }))
      await Promise.all(begun.map(({ opened }) => opened))
      return runs
    }
    const runs = [...(await open2({})), ...(await open2({ token }))]
    for (const more of [{}, { token }]) {
      const { rejected } = await new StockAgent({ url, ...more }).say('go')
      expect(rejected?.message).toMatch(/429.*TOO_MANY/)
    }
    open()
    for (const { error } of await Promise.all(runs)) expect(error).toBeUndefined()
    expect((await new StockAgent({ url }).say('go')).error).toBeUndefined()
  })

  test('a body that does not come counts as a run, and is not waited for when it is a guest’s', async () => {
    const waiting: (() => void)[] = []
    const timer: Clock['timer'] = (ms, run) => {
      if (ms !== 15_000) return runtime.clock.timer(ms, run)
      waiting.push(run)
      return () => {}
    }
    // Others that wait as long are not meant.
    const heartbeatMs = 14_000
    const clock = { ...runtime.clock, timer }
    const limits = { streamsPerPrincipal: 2 }
    const { url } = await startAgent({ runtime: { ...runtime, clock }, access: { limits }, protocols: { heartbeatMs } })
    const { hostname, port } = new URL(url)
    const slow = [0, 1].map(() => connect(Number(port), hostname))
    const head = `POST /agui HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
    for (const socket of slow) socket.write(head)
    while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const { rejected } = await new StockAgent({ url }).say('go')
    expect(rejected?.message).toMatch(/429.*TOO_MANY/)
    for (const run of waiting) run()
    for (const socket of slow) {
      // The connection ends with the answer.
      expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 [^]*did not come within 15 seconds/)
    }
    expect((await new StockAgent({ url }).say('go')).error).toBeUndefined()
  })

  test('a run that has nothing to say is kept alive, and LF ends its lines', async () => {
    const { actor, open } = endless()
    const { url } = await startAgent({ actors: { actor }, protocols: { heartbeatMs: 20 } })
    const response = await fetch(`${url}/agui`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input()),
    })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.includes('\n\n:\n\n:\n\n')) open()
    }
    expect(text).toMatch(/"type":"RUN_FINISHED"[^\n]*\n\n$/)
    expect(text).not.toContain('\r')
  })

  test('a reader that takes nothing is let go, and can have the run again', async () => {
    const long = 'x'.repeat(200_000)
    const said = new Gate()
    const actor = defineActor(async ({ respond }) => {
      for (let index = 0; index < 5; index++) {
        await respond({ parts: [{ partType: 'response', text: `${index}${long}` }], turnState: 'awaiting' })
      }
      await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
      said.open()
    })
    // Heartbeats come when the test wants them: how fast a reader must be is for them to say.
    const heartbeatMs = 19_744
    let step = () => {}
    const timer: Clock['timer'] = (ms, run) => {
      if (ms !== heartbeatMs / 16) return runtime.clock.timer(ms, run)
      step = run
      return () => {}
    }
    // All streams beat once in a round of sixteen steps.
    const beat = () => {
      for (let count = 0; count < 16; count++) step()
    }
    const clock = { ...runtime.clock, timer }
    const options = {
      actors: { actor },
      protocols: { heartbeatMs },
      runtime: { ...runtime, clock },
      access: { limits: { streamsPerPrincipal: 1 } },
    }
    const { beach } = await startAgent(options)
    const asked = JSON.stringify(input())
    const ask = () => {
      const headers = { 'content-type': 'application/json' }
      return beach.fetch(new Request('http://127.0.0.1/agui', { method: 'POST', headers, body: asked }))
    }
    const stalled = await ask()
    await said.opened
    let next = await ask()
    expect(next.status).toBe(429)
    // The first ones may still find room in what waits to be read. Then its place is free again.
    for (; next.status === 429; next = await ask()) beat()
    await expect(stalled.text()).rejects.toThrow(/keep up/)
    // Nothing of the run is lost.
    const again = await next.text()
    expect(again).toContain('"delta":"Done."')
    expect(again.length).toBeGreaterThan(1_000_000)
  })
})
