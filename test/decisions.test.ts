import { createBeach, defineActor, serve, type BeachOptions, type Serving } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Clock, type Store } from '@cool-ai/beach-core'
import { emailChannel } from '@cool-ai/beach-email'
import { standardWebhooks, webhookChannel } from '@cool-ai/beach-hooks'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { afterEach, describe, expect, test } from 'vitest'
import { standardHeaders, whsec } from './webhook/webhook-context.ts'
import { mergeOptions } from './support/merge-options.ts'

const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)
/** How long an agent holds a grant. */
const grantHoldMs = 50

let serving: Serving
let paid: number
afterEach(() => serving.close())

const payer = defineActor(async ({ respond, tool }) => {
  const outcome = await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => ++paid)
  await respond({ parts: [{ partType: 'response', text: outcome.outcome }], turnState: 'complete' })
})

async function start(
  options: Partial<BeachOptions> = {},
  store: Store = new MemoryStore({ runtime }),
): Promise<string> {
  paid = 0
  const hooks = {
    pay: { verify: standardWebhooks({ secrets: [whsec(1)] }), parts: () => [{ partType: 'message', text: 'pay' }] },
  }
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'payer', name: 'Payer' },
        actors: { payer },
        data: { store, secret },
        runtime,
        channels: [webhookChannel({ runtime, secret, store, hooks })],
      },
      options,
    ),
  )
  serving = await serve(beach, { port: 0 })
  return serving.url
}

/** A clock on which a grant is held until the test lets it go, whatever time that takes. */
function holding() {
  const held: (() => void)[] = []
  const { promise: holds, resolve } = Promise.withResolvers<void>()
  const clock: Clock = {
    ...runtime.clock,
    timer: (ms, run) => {
      if (ms !== grantHoldMs) return runtime.clock.timer(ms, run)
      held.push(run)
      resolve()
      return () => {}
    },
  }
  const release = () => held.splice(0).forEach((run) => run())
  return { clock, holds, release }
}

interface Asked {
  readonly url: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly session: { readonly sessionId: string; readonly token: string }
  readonly decide: (body: string) => Promise<{ readonly status: number; readonly text: string }>
  /** The turn's approvals without a decision. */
  readonly pending: () => Promise<readonly string[]>
}

/** A session whose turn waits for an approval. */
async function asked(url: string): Promise<Asked> {
  const session = (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as Asked['session']
  const headers = { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' }
  const room = `${url}/sessions/${session.sessionId}`
  const pending = async () => {
    const view = (await (await fetch(room, { headers })).json()) as { turn?: { pendingApprovals: string[] } }
    return view.turn?.pendingApprovals ?? []
  }
  await fetch(`${room}/messages`, { method: 'POST', headers, body: '{"text":"pay"}' })
  const [approvalId] = await expect.poll(pending, { timeout: 10_000 }).not.toEqual([]).then(pending)
  const path = `${room}/approvals/${approvalId}`
  const decide = async (body: string) => {
    const response = await fetch(path, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }
  return { url, path, headers, session, decide, pending }
}

describe('a body with the same key twice', () => {
  test.each([
    '{"decision":"denied","decision":"granted"}',
    '{"decision":"granted","decision":"denied"}',
    '{"decision":"denied","\\u0064ecision":"granted"}',
    '{"decision":"granted","reason":"a:b\\\\","reason":"\\"decision\\":"}',
  ])('decides nothing: %s', async (body) => {
    const { decide, pending } = await asked(await start())
    const { status, text } = await decide(body)
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { error: { code: 'BAD_JSON', message: 'An object of this JSON has the same key twice. Give each key once.' } },
    ])
    expect(await pending()).toHaveLength(1)
  })

  test('is told from one whose keys and values only look alike', async () => {
    const { decide } = await asked(await start())
    expect(await decide('{"decision":"denied","reason":"{\\"decision\\":\\"granted\\"}: \\\\"}')).toMatchObject({
      status: 200,
    })
  })

  const rpc = '"jsonrpc":"2.0","id":1,"method":"x","method":"y","params":{}'
  test.each([
    ['a message', '/sessions/:id/messages', '{"text":"a","text":"b"}'],
    ['a deep one', '/sessions/:id/messages', '{"parts":[{"data":{"a":[{"b":1,"b":2}]}}]}'],
    ['MCP', '/mcp', `{${rpc}}`],
    ['AG-UI', '/agui', '{"threadId":"a","threadId":"b","runId":"c","messages":[],"tools":[],"context":[]}'],
    ['a join code', '/join', '{"code":"a","code":"b"}'],
  ])('is refused at every endpoint: %s', async (_, path, body) => {
    const { url, session, headers } = await asked(await start())
    const response = await fetch(url + path.replace(':id', session.sessionId), { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('the same key twice')
  })

  test('is refused as a signed payload', async () => {
    const url = await start()
    const body = '{"approvalId":"a","decision":"denied","decision":"granted"}'
    const headers = { ...standardHeaders(body), 'content-type': 'application/json' }
    const response = await fetch(`${url}/webhooks/pay`, { method: 'POST', headers, body })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('the same key twice')])
  })

  test('is refused on a WebSocket', async () => {
    const { url, session, path, pending } = await asked(await start())
    const socket = new WebSocket(`${url.replace('http', 'ws')}/sessions/${session.sessionId}/ws`, ['beach.v1'])
    const received: string[] = []
    socket.addEventListener('message', ({ data }) => received.push(String(data)))
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    socket.send(JSON.stringify({ type: 'hello', token: session.token }))
    const approvalId = path.split('/').at(-1)
    socket.send(`{"type":"decide","id":"1","approvalId":"${approvalId}","decision":"denied","decision":"granted"}`)
    await expect.poll(() => received.join('\n'), { timeout: 10_000 }).toContain('the same key twice')
    socket.close()
    expect(await pending()).toHaveLength(1)
  })
})

describe('of a grant and a denial that are sent together', () => {
  const [grant, denial] = ['{"decision":"granted"}', '{"decision":"denied","reason":"too expensive"}']

  test.each([
    ['the grant first', [grant, denial]],
    ['the denial first', [denial, grant]],
    ['the denial among grants', [grant, grant, denial, grant]],
  ])('the denial counts: %s', async (_, bodies) => {
    const url = await start()
    for (let round = 0; round < 4; round++) {
      const { decide } = await asked(url)
      const answers = await Promise.all(bodies.map(decide))
      expect(answers.map(({ status }) => status)).toEqual(bodies.map((body) => (body === denial ? 200 : 409)))
    }
    expect(paid).toBe(0)
  })

  test('the denial counts when another process is told of it', async () => {
    class Lasting extends MemoryStore {
      override async close(): Promise<void> {}
    }
    const store = new Lasting({ runtime })
    const { clock, holds, release } = holding()
    const url = await start({ runtime: { ...runtime, clock } }, store)
    const first = await asked(url)
    const mine = serving
    const other = await start({}, store)
    try {
      const granted = first.decide(grant)
      // A grant that is not held is answered at once, and the denial comes too late.
      await Promise.race([holds, granted])
      const denied = await fetch(first.path.replace(url, other), {
        method: 'POST',
        headers: first.headers,
        body: denial,
      })
      release()
      expect([(await granted).status, denied.status]).toEqual([409, 200])
    } finally {
      release()
      await mine.close()
    }
  })

  test('the grant counts when the denial comes afterwards', async () => {
    const { decide } = await asked(await start())
    expect((await decide(grant)).status).toBe(200)
    expect((await decide(denial)).status).toBe(409)
    await expect.poll(() => paid, { timeout: 10_000 }).toBe(1)
  })
})

describe('a link with a secret in it', () => {
  const publicUrl = 'https://agent.example'

  /** An agent whose callers say themselves where they come from, with time that the test moves. */
  async function linked() {
    let now = runtime.clock.now()
    const clock: Clock = { ...runtime.clock, now: () => now, elapsed: () => now }
    const moving = { ...runtime, clock }
    const store = new MemoryStore({ runtime: moving })
    const address = 'agent@corp.example'
    const outbound = { host: '127.0.0.1', port: 9 }
    const mail = emailChannel({ address, name: 'Agent', store, secret, runtime: moving, outbound, publicUrl })
    const hook = webhookChannel({ runtime: moving, secret, store, hooks: {} })
    const remoteAddress = ({ headers }: Request) => headers.get('x-from') ?? '192.0.2.1'
    const url = await start({ runtime: moving, channels: [mail, hook], access: { remoteAddress }, publicUrl }, store)
    const visit = (path: string, from = '192.0.2.1', headers = {}, body?: URLSearchParams) =>
      fetch(url + path, { headers: { 'x-from': from, ...headers }, ...(body && { method: 'POST', body }) })
    return { visit, wait: (ms: number) => (now += ms) }
  }
  const byMail = (guess: number) => `/approvals/by-mail/${String(guess).replaceAll(/\d/g, 'a').padStart(42, 'b')}`

  test.each([
    ['an approval by mail', byMail],
    ['a status', (guess: number) => `/webhooks/pay/status/${guess}.x`],
  ])('can be guessed twenty times a minute from a network: %s', async (_, path) => {
    const { visit, wait } = await linked()
    const answers = await Promise.all(Array.from({ length: 60 }, (__, guess) => visit(path(guess))))
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    expect([count(404), count(429)]).toEqual([20, 40])
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('3')
    expect((await visit(path(1), '198.51.100.7')).status, 'another caller').toBe(404)
    wait(3_000)
    expect((await visit(path(1))).status, 'later').toBe(404)
  })

  test.each([
    ['of another site', { origin: 'https://evil.example' }],
    ['of nowhere', { origin: 'null' }],
    ['that a browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['of a sibling of the site', { 'sec-fetch-site': 'same-site' }],
  ])('does nothing for a page %s', async (_, headers) => {
    const { visit } = await linked()
    const body = new URLSearchParams({ decision: 'granted' })
    const answer = await visit(byMail(1), '192.0.2.1', headers, body)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('Open the link, and use the page that it shows.')
  })

  test('is found by the page’s own form', async () => {
    const { visit } = await linked()
    const body = new URLSearchParams({ decision: 'granted' })
    for (const headers of [{ origin: publicUrl, 'sec-fetch-site': 'same-origin' }, {}]) {
      const answer = await visit(byMail(1), '192.0.2.1', headers, body)
      expect(answer.status, 'the token itself is wrong').toBe(404)
    }
  })
})
