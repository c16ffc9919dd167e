import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { webhookHeaders, webhookKey } from '@cool-ai/beach-channel/standard-webhooks'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StockAgent } from '../agui/agent.ts'
import { stockClient as mcpClient, textsOf } from '../mcp/support.ts'
import { taskClient } from '../mcp/tasks/task-client.ts'
import { Gate } from '../stop/gate.ts'
import { newDatabase } from '../support/postgres.ts'
import { readEvents } from '../support/server-events.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { Socket } from '../support/socket.ts'
import { collect, foldArtifacts, request, says, send, statesIn, stockClient } from '../support/stock-a2a.ts'
import { fetchAt, startFleet } from './fleet.ts'
import { hookSecret } from './hook-secret.ts'

type Frame = Parameters<EnvelopeStream['apply']>[0]

// Four processes for all tests of this file: each test has sessions of its own.
let database: Awaited<ReturnType<typeof newDatabase>>
let fleet: Awaited<ReturnType<typeof startFleet>>
let gate: Gate
let closeGate: () => unknown
let [a, b, c, d]: ServerProcess[] = []
beforeAll(async () => {
  database = await newDatabase()
  gate = await Gate.open({ onTestFinished: (close: () => unknown) => (closeGate = close) } as never)
  fleet = await startFleet(4, { store: database.url, gate: gate.url })
  ;[a, b, c, d] = fleet.servers
}, 120_000)
afterAll(async () => {
  await fleet?.end()
  closeGate?.()
  await database[Symbol.asyncDispose]()
})

/** The process of that place; all are there. */
function at(server: ServerProcess | undefined): ServerProcess {
  if (server === undefined) throw new Error('The processes have not started.')
  return server
}

async function open(server = at(a)) {
  const response = await fetch(`${server.url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await response.json()) as { sessionId: string; token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (to: ServerProcess, path: string, body: unknown, more: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) }
    const answered = await fetch(`${to.url}/sessions/${sessionId}/${path}`, init)
    return { status: answered.status, body: (await answered.json()) as Record<string, unknown> }
  }
  return {
    path: `sessions/${sessionId}`,
    headers,
    token,
    say: (to: ServerProcess, text: string, key?: string) =>
      post(to, 'messages', { text }, key === undefined ? {} : { 'idempotency-key': key }),
    post,
  }
}

type Session = Awaited<ReturnType<typeof open>>

/** Follows at one process until the condition holds, from where the stream is. */
async function follow(
  server: ServerProcess,
  { path, headers }: Session,
  stream: EnvelopeStream,
  isEnough: (stream: EnvelopeStream) => boolean,
): Promise<void> {
  const { lastCursor } = stream
  const resume = { ...headers, ...(lastCursor !== undefined && { 'last-event-id': lastCursor }) }
  if (isEnough(stream)) return
  for await (const { event, id, data } of readEvents(`${server.url}/${path}/events`, resume)) {
    stream.apply({ kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as Frame)
    if (isEnough(stream)) return
  }
}

const lastText = ({ parts }: EnvelopeStream) => parts.findLast((part) => part.partType === 'response')?.text
const isOpenText = (stream: EnvelopeStream) => lastText(stream) === 'Once ' && stream.parts.at(-1)?.open === true
const isSettled =
  (count = 1) =>
  ({ turns }: EnvelopeStream) =>
    turns.length === count && turns.every(({ settled }) => settled)

test('a message to one process is seen at others while its text grows, and a viewer goes on at another one', async () => {
  const session = await open(at(a))
  const [viewer, other] = [new EnvelopeStream(), new EnvelopeStream()]
  expect((await session.say(at(a), 'tell one')).status).toBe(202)
  await gate.asked('tell one rest')
  await follow(at(b), session, viewer, isOpenText)
  // The viewer's connection breaks in the middle of a part: it goes on at a third process, by WebSocket.
  const { lastCursor: after } = viewer
  const socket = new Socket(`${at(c).url}/${session.path}/ws`, {
    headers: session.headers,
    ...(after !== undefined && { after }),
  })
  let place = 0
  const applied = () => {
    for (const frame of socket.frames.slice(place)) viewer.apply(frame)
    place = socket.frames.length
    return viewer
  }
  await socket.until(() => isOpenText(applied()))
  const following = follow(at(d), session, other, isSettled())
  await gate.open('tell one rest', 'upon a time')
  await socket.until(() => isSettled()(applied()))
  socket.close()
  await following
  expect([lastText(viewer), lastText(other)]).toEqual(['Once upon a time', 'Once upon a time'])
  expect(viewer.parts.map(({ partId }) => partId)).toEqual(other.parts.map(({ partId }) => partId))
})

test('an approval is granted at a third process, and a turn is cancelled at a fourth', async () => {
  const session = await open(at(b))
  const viewer = new EnvelopeStream()
  await session.say(at(a), 'pay one')
  const asked = ({ parts }: EnvelopeStream) => parts.find((part) => part.partType === 'approval-request')
  await follow(at(b), session, viewer, (stream) => asked(stream) !== undefined)
  const { approvalId = '' } = (asked(viewer)?.data ?? {}) as { approvalId?: string }
  // Two decisions at the same moment: one counts.
  const decided = await Promise.all(
    [at(c), at(d)].map((to) => session.post(to, `approvals/${approvalId}`, { decision: 'granted' })),
  )
  expect(decided.map(({ status }) => status)).toContain(200)
  await follow(at(d), session, viewer, isSettled())
  expect(lastText(viewer)).toBe('pay one: ok')
  await session.say(at(a), 'wait for ever')
  await gate.asked('wait for ever')
  expect(await session.post(at(d), 'cancel', {})).toMatchObject({ status: 202, body: { cancelled: true } })
  await follow(at(c), session, viewer, isSettled(2))
  expect(viewer.turns.at(-1)).toMatchObject({ settled: true, finalizedBy: 'cancelled' })
})

test('a session has one turn at a time over all processes, and a key counts once over all', async () => {
  const session = await open(at(a))
  const viewer = new EnvelopeStream()
  await session.say(at(a), 'wait first')
  await gate.asked('wait first')
  const sent = await Promise.all([at(b), at(c), at(d)].map((to) => session.say(to, 'second', 'the-same-key')))
  expect(sent.map(({ status }) => status)).toEqual([202, 202, 202])
  await follow(at(b), session, viewer, ({ parts }) => parts.some(({ text }) => text === 'second'))
  expect(viewer.turns).toHaveLength(1)
  await gate.open('wait first', 'done')
  await follow(at(c), session, viewer, isSettled(2))
  const said = viewer.parts.filter(({ partType }) => partType === 'response').map(({ text }) => text)
  expect(said).toEqual(['wait first: done', 'You said: second'])
})

test('by A2A, a task is subscribed to at another process in the middle of its text', async () => {
  const client = await stockClient(at(a).url)
  const task = await send(client, says('tell by A2A'), { returnImmediately: true })
  await gate.asked('tell by A2A rest')
  const elsewhere = await stockClient(at(a).url, 'JSONRPC 1.0', undefined, fetchAt(at(b)))
  const stream = elsewhere.resubscribeTask({ id: task.id, tenant: '' })
  const { value: first } = await stream.next()
  const second = await stream.next()
  const soFar = [first, second.value].flatMap((each) => each?.payload ?? [])
  expect([...foldArtifacts(soFar).values()].join('')).toContain('Once')
  await gate.open('tell by A2A rest', 'upon a time')
  const events = [...soFar, ...(await collect(stream))]
  expect([...foldArtifacts(events).values()]).toEqual(['Once upon a time'])
  expect(statesIn(events).at(-1)).toBe('COMPLETED')
  // Cancelled where it does not run.
  const waiting = await send(client, says('wait by A2A'), { returnImmediately: true })
  await gate.asked('wait by A2A')
  const third = await stockClient(at(a).url, 'JSONRPC 1.0', undefined, fetchAt(at(c)))
  const cancelled = await third.cancelTask({ id: waiting.id, tenant: '', metadata: undefined })
  expect(cancelled.id).toBe(waiting.id)
  await expect(third.sendMessage(request(says('more', { taskId: waiting.id })))).rejects.toThrow(/task/i)
})

test('by AG-UI, a run whose connection broke in the middle of a text goes on at another process', async () => {
  const end = new AbortController()
  const toA: typeof fetch = (input, init) =>
    fetchAt(at(a))(input, { ...init, signal: AbortSignal.any([end.signal, ...(init?.signal ? [init.signal] : [])]) })
  const first = new StockAgent({ url: at(a).url, fetch: toA })
  await first.say('tell by AG-UI', { runId: 'run-1' }, { onTextMessageContentEvent: () => end.abort() })
  expect(first.texts()).toEqual(['Once '])
  const { threadId, messages } = first
  const again = new StockAgent({ url: at(a).url, threadId, messages, fetch: fetchAt(at(b)) })
  const running = again.run({ runId: 'run-1' })
  await gate.open('tell by AG-UI rest', 'upon a time')
  expect((await running).error).toBeUndefined()
  expect(again.texts()).toEqual(['Once upon a time'])
})

test('by MCP, a task that one process began is resumed at another', async () => {
  const execution = await (
    await taskClient(new URL('/mcp', at(a).url))
  ).callTool('ask_replica', { message: 'wait by MCP' })
  if (execution.kind !== 'task') throw new Error('This is no task.')
  await gate.asked('wait by MCP')
  const reference = { ...execution.serializeReference(), endpointId: new URL('/mcp', at(c).url).href }
  await execution.detach()
  const resumed = await (await taskClient(new URL('/mcp', at(c).url))).resumeTask(reference)
  await gate.open('wait by MCP', 'arrived')
  const { outcome } = await resumed.settle()
  expect(textsOf(resultFromTaskOutcome(outcome) as never)[0]?.text).toBe('wait by MCP: arrived')
})

test('by MCP of 2025-11-25, each request of a session, and each answer of its client, may come to another process', async () => {
  const servers = [a, b, c, d]
  let turn = 0
  const anywhere: typeof fetch = (input, init) => fetchAt(at(servers[turn++ % 4]))(input, init)
  const asked: string[] = []
  const person = (message: string) => {
    asked.push(message)
    return { action: 'accept', content: { decision: 'granted' } } as const
  }
  const client = mcpClient('legacy', person)
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', at(a).url), { fetch: anywhere }))
  for (let n = 0; n < 5; n++) expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_replica')
  for (const n of [1, 2, 3]) {
    const paid = await client.callTool({ name: 'ask_replica', arguments: { message: `pay ${n} by MCP` } })
    expect(textsOf(paid)[0]?.text).toBe(`pay ${n} by MCP: ok`)
  }
  expect(asked).toHaveLength(3)
  // An id that no process of the agent has given is none.
  const forged = { 'mcp-session-id': `mcp_${Buffer.from('["mcp_1","",{}]').toString('base64url')}.c2lnbmF0dXJl` }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...forged }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect((await fetch(new URL('/mcp', at(b).url), { method: 'POST', headers, body })).status).toBe(404)
})

test('a webhook that comes to all processes at once under one id is one message', async () => {
  const body = JSON.stringify({ text: 'hooked', thread: 'hooked' })
  const timestamp = Math.floor(Date.now() / 1_000)
  const signed = webhookHeaders({ id: 'hook-1', timestamp, body }, [webhookKey(hookSecret)])
  const headers = { 'content-type': 'application/json', ...signed }
  const sent = await Promise.all(
    [a, b, c, d].map((to) => fetch(`${at(to).url}/webhooks/desk`, { method: 'POST', headers, body })),
  )
  for (const response of sent) expect(response.status).toBeLessThan(300)
  const answered = `SELECT count(*)::int AS count FROM beach_replica.event WHERE data LIKE '%You said: hooked%'`
  const count = async () => (await database.query<{ count: number }>(answered)).rows[0]?.count
  await expect.poll(count, { timeout: 20_000 }).toBe(1)
  const received = `SELECT data FROM beach_replica.event WHERE data LIKE '%"messageReceived"%"hooked"%'`
  expect((await database.query(received)).rows).toHaveLength(1)
})

test('wrong codes for devices have one limit over all processes, also at the same moment', async () => {
  const servers = [a, b, c, d]
  const tries = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const body = JSON.stringify({ code: `wrong-${n}` })
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${at(servers[n % 4]).url}/join`, { method: 'POST', headers, body })).status
    }),
  )
  const [tried, refused] = [tries.filter((status) => status === 410), tries.filter((status) => status === 429)]
  // One more every three seconds.
  expect(tried.length).toBeGreaterThanOrEqual(20)
  expect(tried.length).toBeLessThanOrEqual(23)
  expect(tried.length + refused.length).toBe(60)
})
