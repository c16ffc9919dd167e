import { readFileSync } from 'node:fs'
import { expect, test, type TestContext } from 'vitest'
import { Conversation } from '../support/conversation.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { Socket } from '../support/socket.ts'
import { Gate } from './gate.ts'

const program = 'test/stop/agent-program.ts'

const effects = ({ folder }: ServerProcess) => readFileSync(`${folder}/effects`, 'utf8').trim().split('\n')

async function start(context: TestContext, gate: Gate, more: { folder?: string; variables?: Record<string, string> }) {
  const { variables, ...rest } = more
  return startServer(context, { program, ...rest, variables: { GATE: gate.url, ...variables } })
}

/** Refusals begin a moment after the signal; resolves with the first. */
async function refusal(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(`${url}/sessions`, { method: 'POST' })
    if (response.status !== 201) return response
    await response.arrayBuffer()
  }
}

test('a tool that runs when the process is asked to end takes effect once, and its turn settles', async (context) => {
  const gate = await Gate.open(context)
  const server = await start(context, gate, {})
  const conversation = await Conversation.open(server.url)
  await conversation.say('one')
  await gate.asked('agent/one')
  const events = conversation.events()
  await events.next()
  const stopped = server.stop()
  const refused = await refusal(server.url)
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
    503,
    '1',
    'close',
  ])
  expect(await refused.json()).toMatchObject({ error: { code: 'STOPPING' } })
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  await gate.open('agent/one', 'charged')
  // The viewer that has followed all along sees the end of the turn before its stream ends.
  const seen = await Array.fromAsync(events)
  expect(seen.map(({ event }) => event)).toEqual(expect.arrayContaining(['part', 'settled']))
  expect(JSON.stringify(seen)).toContain('agent: charged')
  expect(await stopped).toBe(0)
  await server.start()
  await conversation.say('two')
  await gate.open('agent/two', 'charged again')
  await conversation.settled(2)
  expect(effects(server)).toHaveLength(2)
})

test('a tool that outlasts the grace period is handed over, and its outcome is unknown', async (context) => {
  const gate = await Gate.open(context)
  const server = await start(context, gate, { variables: { GRACE_MS: '200' } })
  const conversation = await Conversation.open(server.url)
  await conversation.say('one')
  await gate.asked('agent/one')
  expect(await server.stop()).toBe(0)
  await server.start()
  await conversation.settled(1)
  expect(conversation.partOf('response')?.text).toBe('agent: unknown')
})

test('a second signal ends the process at once', async (context) => {
  const gate = await Gate.open(context)
  const server = await start(context, gate, {})
  const conversation = await Conversation.open(server.url)
  await conversation.say('one')
  await gate.asked('agent/one')
  const stopped = server.stop()
  await refusal(server.url)
  process.kill(server.pid, 'SIGINT')
  expect(await stopped).toBe(130)
})

test('a signal that is passed on twice counts as one, though the clock was set in between', async (context) => {
  const gate = await Gate.open(context)
  const server = await start(context, gate, { variables: { CLOCK_STEPS: 'yes' } })
  const conversation = await Conversation.open(server.url)
  await conversation.say('one')
  await gate.asked('agent/one')
  const stopped = server.stop()
  await refusal(server.url)
  process.kill(server.pid, 'SIGTERM')
  await gate.open('agent/one', 'charged')
  expect(await stopped).toBe(0)
})

test('another process answers what comes while one ends, and the one ends its turn', async (context) => {
  const gate = await Gate.open(context)
  const one = await start(context, gate, { variables: { NAME: 'one' } })
  const other = await start(context, gate, { folder: one.folder, variables: { NAME: 'other' } })
  const [slow, late] = [await opened(one.url), await opened(one.url)]
  const [first, second] = [slow.socket(one.url), late.socket(one.url)]
  await Promise.all([first.ready(), second.ready()])
  // The process that takes a message in runs its turn, while it has room.
  await first.ask({ type: 'send', text: 'slow' })
  await gate.asked('one/slow')
  const stopped = one.stop()
  await refusal(one.url)
  // A connection that is open can still bring a message: what is accepted here is answered there.
  expect(await second.ask({ type: 'send', text: 'late' })).not.toHaveProperty('error')
  await gate.open('other/late', 'by the other')
  const third = late.socket(other.url)
  await third.settled()
  expect(textOf(third)).toBe('other: by the other')
  await gate.open('one/slow', 'by the one')
  await first.settled()
  expect(textOf(first)).toBe('one: by the one')
  expect([await stopped, (await first.closed).code]).toEqual([0, 1001])
  expect(effects(one)).toHaveLength(2)
})

/** A session, and how to follow it at a process. */
async function opened(url: string) {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await response.json()) as { sessionId: string; token: string }
  const headers = { authorization: `Bearer ${token}` }
  return { socket: (at: string) => new Socket(`${at}/sessions/${sessionId}/ws`, { headers }) }
}

/** What the agent has answered. */
function textOf({ frames }: Socket): string | undefined {
  return frames
    .flatMap((frame) => (frame.kind === 'part' && frame.role === 'agent' ? (frame.part.text ?? []) : []))
    .at(-1)
}
