import { TaskState } from '@a2a-js/sdk'
import type { BeachError } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { frailConnection } from '../support/frail-connection.ts'
import { brief, caller, hello, passing } from './calling.ts'
import { events, json, rawPeer, task } from './raw-peer.ts'
import { readCard, stockAgent, text, type Execution } from './stock-agent.ts'

const { TASK_STATE_COMPLETED, TASK_STATE_WORKING } = TaskState

describe.for([
  ['JSON-RPC', {}],
  ['REST', { binding: 'HTTP+JSON' }],
  ['0.3', { version: '0.3' }],
] as const)('a connection that breaks in mid-answer, by %s', ([, how]) => {
  test('is made again, and nothing is lost or told twice', async (context) => {
    const { promise: received, resolve: hasReceived } = Promise.withResolvers<void>()
    const { promise: back, resolve: isBack } = Promise.withResolvers<void>()
    const work = async (run: Execution) => {
      run.begin()
      run.status(TASK_STATE_WORKING)
      run.artifact('a1', [text('Two ')])
      await received
      frail.cut()
      // While no client listens.
      run.artifact('a1', [text('flights ')], { append: true })
      await back
      run.artifact('a1', [text('to Corfu.')], { append: true })
      run.artifact('a2', [text('Done.')])
      run.status(TASK_STATE_COMPLETED)
    }
    const agent = await stockAgent(context, work, (method) => {
      if (/subscribe/i.test(method)) isBack()
    })
    const frail = await frailConnection(context, agent.port)
    const { callAgent, runtime } = caller({ stock: agent.card({ ...how, url: frail.url }) })
    const seen: string[] = []
    const result = await passing(
      runtime.clock,
      callAgent('stock', hello, {
        onPart(part) {
          seen.push(brief(part))
          if (part.part.text === 'Two ') hasReceived()
        },
      }),
    )
    expect(result.state).toBe('complete')
    expect(result.parts.map((part) => part.text)).toEqual(['Two flights to Corfu.', 'Done.'])
    expect(agent.executions).toHaveLength(1)
    const whole = seen.filter((line) => line.includes(' whole '))
    expect(whole).toEqual(['a1 response whole Two flights to Corfu.', 'a2 response whole Done.'])
    const grown = seen
      .filter((line) => line.startsWith('a1 response open'))
      .map((line) => line.slice('a1 response open '.length))
    expect(grown.join('')).toBe('Two flights to Corfu.')
  })
})

test('a peer that has a task of ours is waited for while it is away, as for a restart', async (context) => {
  const { promise: received, resolve: hasReceived } = Promise.withResolvers<void>()
  const { promise: back, resolve: isBack } = Promise.withResolvers<void>()
  const agent = await stockAgent(context, async (run) => {
    run.begin()
    run.artifact('a1', [text('Two ')])
    await received
    awayUntil = runtime.clock.now() + 40_000
    frail.cut()
    await back
    run.artifact('a1', [text('flights.')], { append: true })
    run.status(TASK_STATE_COMPLETED)
  })
  const frail = await frailConnection(context, agent.port)
  let awayUntil = 0
  const own: typeof fetch = (...args) => {
    if (runtime.clock.now() < awayUntil) return Promise.reject(new TypeError('fetch failed'))
    if (awayUntil > 0) isBack()
    return fetch(...args)
  }
  const { callAgent, runtime } = caller({ stock: agent.card({ url: frail.url }) }, { fetch: own })
  const result = await passing(runtime.clock, callAgent('stock', hello, { onPart: () => hasReceived() }))
  expect(result).toMatchObject({ state: 'complete', parts: [{ text: 'Two flights.' }] })
  expect(agent.executions).toHaveLength(1)
})

test('a peer that is gone for good in mid-answer is given up, and what it had taken is said', async (context) => {
  const { promise: received, resolve: hasReceived } = Promise.withResolvers<void>()
  const agent = await stockAgent(context, async (run) => {
    run.begin()
    run.artifact('a1', [text('Two ')])
    await received
    gone.abort()
    frail.cut()
    await new Promise<void>((resolve) => run.signal.addEventListener('abort', () => resolve()))
  })
  const frail = await frailConnection(context, agent.port)
  const gone = new AbortController()
  const own: typeof fetch = (...args) => {
    return gone.signal.aborted ? Promise.reject(new TypeError('fetch failed')) : fetch(...args)
  }
  const { callAgent, runtime } = caller({ stock: agent.card({ url: frail.url }) }, { fetch: own })
  const calling = passing(runtime.clock, callAgent('stock', hello, { onPart: () => hasReceived() }))
  const { taskId, contextId } = await calling.then(
    () => expect.unreachable(),
    (error: BeachError) => {
      expect(error).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('has taken this') as string })
      return error.details
    },
  )
  expect({ taskId, contextId }).toEqual({
    taskId: agent.executions[0]?.taskId,
    contextId: agent.executions[0]?.contextId,
  })
})

test('an agent that does not stream is asked until it has the answer', async (context) => {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  const agent = await stockAgent(context, async (run) => {
    run.begin()
    run.status(TASK_STATE_WORKING)
    await asked
    run.status(TASK_STATE_COMPLETED, [text('Done.')])
  })
  const { callAgent, resumeCall, runtime } = caller({ stock: agent.card({ streaming: false }) })
  const calling = callAgent('stock', hello)
  await expect.poll(() => agent.executions.length).toBe(1)
  const { taskId = '', contextId = '' } = agent.executions[0] ?? {}
  const resumed = resumeCall('stock', { taskId, contextId })
  await expect.poll(() => agent.methods).toContain('GetTask')
  isAsked()
  expect((await passing(runtime.clock, resumed)).parts.map((part) => part.text)).toEqual(['Done.'])
  expect((await calling).state).toBe('complete')
})

test('a connection that breaks after each piece is made again as long as each brings one', async (context) => {
  const pieces = Array.from({ length: 12 }, (_, n) => `${n} `)
  let sent = 0
  const made = () => [{ artifactId: 'a', parts: [{ text: pieces.slice(0, sent).join('') }] }]
  const { url } = await rawPeer(context, (raw) => {
    const isDone = sent === pieces.length
    const now = task(isDone ? 'COMPLETED' : 'WORKING', { artifacts: made() })
    if (raw.call.method === 'GetTask') return json(raw, { jsonrpc: '2.0', id: raw.call.id, result: now })
    sent++
    events(raw)({ task: task('WORKING', { artifacts: made() }) })
    // The answer is on its way before the connection breaks.
    setImmediate(() => raw.response.destroy())
  })
  const { callAgent, runtime } = caller({ stock: readCard(url) })
  const result = await passing(runtime.clock, callAgent('stock', hello))
  expect(result.parts.map((part) => part.text)).toEqual([pieces.join('')])
})

test('a peer that falls silent is asked for its task', async (context) => {
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>()
  const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
  const { url, calls } = await rawPeer(context, (raw) => {
    if (raw.call.method === 'GetTask') return json(raw, { jsonrpc: '2.0', id: raw.call.id, result: task('COMPLETED') })
    raw.response.once('close', isClosed)
    events(raw)({ task: task('WORKING') })
  })
  const { callAgent, runtime } = caller({ stock: readCard(url) })
  const calling = callAgent('stock', hello, { onTask: () => hasBegun() })
  await begun
  await runtime.clock.advance(30_000)
  expect(await passing(runtime.clock, calling)).toMatchObject({ state: 'complete' })
  expect(calls).toEqual(['SendStreamingMessage', 'GetTask'])
  // The connection that brings nothing is let go.
  await closed
})
