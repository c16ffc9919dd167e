import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { startServer } from '../support/server-process.ts'
import { post, startReceiver } from '../webhook/webhook-context.ts'
import { found, metricsIn, pathsOf, spansIn, withSdk } from './spans.ts'

function spanFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-spans-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'spans.jsonl')
}

async function startClerk(context: TestContext) {
  const file = spanFile()
  const receiver = await startReceiver()
  const variables = { ...withSdk(file), RECEIVER: receiver.url }
  const server = await startServer(context, { program: 'test/telemetry/clerk-program.ts', variables })
  const say = (text: string, headers: Record<string, string> = {}) => {
    return post(`${server.url}/webhooks/notes`, { text }, { id: randomBytes(8).toString('hex'), headers })
  }
  return { file, receiver, server, say }
}

/** What a turn ends with, in either order. */
const ends = ['delivery webhook', 'invoke_agent Clerk']
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`

test('the spans of a turn with a tool and a delivery form one tree, beneath the span of the caller', async (context) => {
  const { file, receiver, server, say } = await startClerk(context)
  expect((await say('Anna Marker', { traceparent })).status).toBe(202)
  await receiver.count(1)
  const spans = await found(() => {
    const all = spansIn(file)
    return ends.every((end) => all.some(({ name }) => name === end)) && all
  })
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([caller.traceId]))
  const paths = new Set(pathsOf(spans))
  const received = '… > receive webhook'
  for (const path of [
    received,
    `${received} > commit`,
    `${received} > invoke_agent Clerk`,
    `${received} > invoke_agent Clerk > chat scripted`,
    `${received} > invoke_agent Clerk > execute_tool look_up`,
    `${received} > invoke_agent Clerk > execute_tool look_up > commit`,
    `${received} > delivery webhook`,
    `${received} > delivery webhook > commit`,
  ]) {
    expect(paths).toContain(path)
  }
  expect(spans.find(({ name }) => name === 'receive webhook')?.parent).toBe(caller.spanId)
  const chats = spans.filter(({ name }) => name === 'chat scripted')
  expect(chats.map(({ attributes }) => attributes)).toMatchObject([
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': expect.any(Number) as number,
      'gen_ai.usage.output_tokens': expect.any(Number) as number,
      'beach.cost': expect.any(Number) as number,
    },
    { 'gen_ai.response.finish_reasons': ['tool-calls'] },
  ])
  const tool = spans.find(({ name }) => name === 'execute_tool look_up')
  expect(tool?.attributes).toMatchObject({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look_up' })
  // What was said, and to whom, is in none of them.
  expect(JSON.stringify(spans)).not.toContain('Marker')
  // The callback continues the trace, beneath its delivery.
  const delivery = spans.find(({ name }) => name === 'delivery webhook')
  expect(receiver.received[0]?.headers.traceparent).toBe(`00-${caller.traceId}-${delivery?.spanId}-01`)
  process.kill(server.pid, 'SIGUSR2')
  const metrics = await found(() => metricsIn(file))
  const points = (name: string) => metrics.find(({ metric }) => metric === name)?.points
  expect(points('beach.turns')).toEqual([{ attributes: { outcome: 'complete', 'beach.agent': 'clerk' }, value: 1 }])
  expect(points('beach.tool.duration')).toMatchObject([{ attributes: { tool: 'look_up', outcome: 'ok' }, count: 1 }])
  expect(points('gen_ai.client.token.usage')?.map(({ count }) => count)).toEqual([2, 2])
  expect(points('beach.model.cost')?.[0]?.value).toBeGreaterThan(0)
})

test('a turn that is resumed after a kill continues its trace in the next process', async (context) => {
  const { file, receiver, server, say } = await startClerk(context)
  writeFileSync(join(server.folder, 'block'), '')
  expect((await say('Anna', { traceparent })).status).toBe(202)
  // The model's answer is in the log; its tool hangs.
  await found(() => spansIn(file).some(({ name }) => name === 'chat scripted'))
  const first = server.pid
  await server.kill9()
  rmSync(join(server.folder, 'block'))
  await server.start()
  await receiver.count(1)
  const spans = await found(() => {
    const all = spansIn(file)
    return ends.every((end) => all.some(({ name }) => name === end)) && all
  })
  const turn = spans.find(({ name }) => name === 'invoke_agent Clerk')
  const receive = spans.find(({ name }) => name === 'receive webhook')
  expect(receive?.process).toBe(first)
  expect(turn?.process).toBe(server.pid)
  expect(turn).toMatchObject({ traceId: caller.traceId, parent: receive?.spanId })
  expect(turn?.attributes).toMatchObject({ 'beach.takes_over': true, 'beach.outcome': 'complete' })
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([caller.traceId]))
  process.kill(server.pid, 'SIGUSR2')
  const metrics = await found(() => metricsIn(file))
  expect(metrics.find(({ metric }) => metric === 'beach.lease.takeovers')?.points[0]?.value).toBe(1)
})

test('a trace goes from one agent to another by A2A', async (context) => {
  const file = spanFile()
  const key = newApiKey()
  const harbour = await startServer(context, {
    program: 'examples/peers/harbour.ts',
    variables: { ...withSdk(file), SKIPPER_KEY_HASH: hashApiKey(key) },
  })
  const skipper = await startServer(context, {
    program: 'examples/peers/skipper.ts',
    variables: { ...withSdk(file), HARBOUR_URL: `${harbour.url}/`, BEACH_PEER_HARBOUR_API_KEY: key },
  })
  const opened = await fetch(`${skipper.url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ text: 'A berth for 9 m' })
  const sent = await fetch(`${skipper.url}/sessions/${sessionId}/messages`, { method: 'POST', headers, body })
  expect(sent.status).toBe(202)
  const spans = await found(() => {
    const all = spansIn(file)
    return all.some(({ name }) => name === 'invoke_agent Skipper') && all
  })
  const there = spans.filter(({ process: pid }) => pid === harbour.pid)
  const paths = pathsOf(spans)
  const asked = 'receive sse > invoke_agent Skipper > execute_tool ask_harbour'
  expect(paths).toContain(`${asked} > receive a2a > invoke_agent Harbour`)
  const own = spans.find(({ name }) => name === 'invoke_agent Skipper')
  expect(there.find(({ name }) => name === 'invoke_agent Harbour')?.traceId).toBe(own?.traceId)
})

test('the trace of a guest is not continued: the message begins a trace of its own that refers to it', async (context) => {
  const { file, server } = await startClerk(context)
  const opened = await fetch(`${server.url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
  const send = (trace: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent: trace }
    const body = JSON.stringify({ text: 'Anna' })
    return fetch(`${server.url}/sessions/${sessionId}/messages`, { method: 'POST', headers, body })
  }
  expect((await send(traceparent)).status).toBe(202)
  const [span] = await found(() => {
    const all = spansIn(file).filter(({ name }) => name === 'receive sse')
    return all.length > 0 && all
  })
  expect(span?.traceId).not.toBe(caller.traceId)
  expect(span?.parent).toBeUndefined()
  expect(span?.linked).toEqual([caller.traceId])
  // A header that is none changes nothing.
  expect((await send(`00-${'0'.repeat(32)}-${caller.spanId}-01`)).status).toBe(202)
  expect((await send('x'.repeat(5_000))).status).toBe(202)
})
