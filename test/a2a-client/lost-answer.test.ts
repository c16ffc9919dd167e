import { defineActor } from '@cool-ai/beach'
import type { Part } from '@cool-ai/beach-core'
import { readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test, type TestContext } from 'vitest'
import { startAgent } from '../a2a/agent.ts'
import { caller, hello, passing } from './calling.ts'
import { events, json, rawPeer, task, type RawRequest } from './raw-peer.ts'
import { readCard } from './stock-agent.ts'

const place = { taskId: 'task-1', contextId: 'context-1' }
const decision = (approvalId: string): Part[] => [
  {
    data: { approvalId, decision: 'granted', decidedAt: '2026-01-01T00:00:00.000Z' },
    metadata: { partType: 'approval-response' },
  },
]

/** A task that waits for this approval, or for an answer when there is none. */
function waiting(approvalId?: string, more: Record<string, unknown> = {}) {
  const request = { approvalId, toolName: 'pay', toolCallId: 'c', args: {}, handler: 'h', turn: 't', session: 's' }
  const parts =
    approvalId === undefined
      ? [{ text: 'From where?' }]
      : [{ data: request, metadata: { partType: 'approval-request' } }]
  const message = { messageId: `asks-${approvalId}`, role: 'ROLE_AGENT', parts }
  return task('INPUT_REQUIRED', { status: { state: 'TASK_STATE_INPUT_REQUIRED', message }, ...more })
}

/** A peer whose connection breaks when it is told something for the first `times` times. */
async function breaking(
  context: TestContext,
  { times = 1, found, answer }: { times?: number; found: () => unknown; answer?: (raw: RawRequest) => void },
) {
  let left = times
  return rawPeer(context, (raw) => {
    if (raw.call.method === 'GetTask') return json(raw, { jsonrpc: '2.0', id: raw.call.id, result: found() })
    if (left-- > 0) return void raw.response.destroy()
    if (answer !== undefined) return answer(raw)
    events(raw)({ task: task('COMPLETED') })
  })
}

describe.for([
  ['a Beach peer', { beach: {} }],
  ['another peer', {}],
  ['a Beach peer that does not stream', { beach: {}, streaming: false }],
] as const)('an answer that was on its way when the connection broke, to %s', ([, how]) => {
  const said = { artifacts: [{ artifactId: 'a', parts: [{ text: 'Booked.' }] }] }
  test.for([
    ['a decision, when it is carried out', decision('appr-1'), () => task('COMPLETED', said), 'complete'],
    ['a decision, when something else is asked for', decision('appr-1'), () => waiting('appr-2'), 'suspended'],
    ['an answer, when it was taken', hello, () => task('COMPLETED', said), 'complete'],
    [
      'an answer, when it was taken and something else is asked',
      hello,
      () => waiting(undefined, { history: [{ messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] }] }),
      'clarifying',
    ],
    ['an answer, when an approval is wanted now', hello, () => waiting('appr-1'), 'suspended'],
  ] as const)('is not said again: %s', async ([, parts, found, state], context) => {
    const { url, calls } = await breaking(context, { found })
    const { callAgent, runtime } = caller({ stock: readCard(url, how) })
    const calling = callAgent('stock', parts, { ...place, messageId: 'm-1' })
    expect(await passing(runtime.clock, calling)).toMatchObject({ state, ...place })
    expect(calls.filter((method) => /Send/.test(method))).toHaveLength(1)
  })

  test('is followed, when the peer works on it', async (context) => {
    let asked = 0
    const found = () => (asked++ < 2 ? task('WORKING') : task('COMPLETED', said))
    const { url, calls } = await breaking(context, {
      found,
      answer: (raw) => {
        events(raw)({ task: task('WORKING') })
        setImmediate(() => raw.response.destroy())
      },
    })
    const { callAgent, runtime } = caller({ stock: readCard(url, how) })
    const result = await passing(runtime.clock, callAgent('stock', decision('appr-1'), place))
    expect(result).toMatchObject({ state: 'complete', parts: [{ text: 'Booked.' }] })
    expect(calls.filter((method) => /Send/.test(method))).toHaveLength(1)
  })
})

describe.for([
  ['a decision', decision('appr-1'), 'appr-1'],
  ['an answer', hello, undefined],
] as const)('%s that the peer still waits for', ([, parts, approvalId]) => {
  test('is said again to a Beach peer, as often as it takes', async (context) => {
    const { url, calls } = await breaking(context, { times: 3, found: () => waiting(approvalId) })
    const { callAgent, runtime } = caller({ stock: readCard(url, { beach: {} }) })
    expect(await passing(runtime.clock, callAgent('stock', parts, place))).toMatchObject({ state: 'complete' })
    const again = ['GetTask', 'SendStreamingMessage']
    expect(calls).toEqual(['SendStreamingMessage', ...again, ...again, ...again])
  })

  test('is said again when the connection broke after the task as it was before', async (context) => {
    let sent = 0
    const answer = (raw: RawRequest) => {
      const send = events(raw)
      send({ task: waiting(approvalId) })
      if (sent++ > 0) return void send({ task: task('COMPLETED') })
      setImmediate(() => raw.response.destroy())
    }
    const { url, calls } = await breaking(context, { times: 0, found: () => waiting(approvalId), answer })
    const { callAgent, runtime } = caller({ stock: readCard(url, { beach: {} }) })
    expect(await passing(runtime.clock, callAgent('stock', parts, place))).toMatchObject({ state: 'complete' })
    expect(calls).toEqual(['SendStreamingMessage', 'GetTask', 'SendStreamingMessage'])
  })

  test('is not said again to any other, which may have begun with it by now', async (context) => {
    let asked = 0
    const found = () => (asked++ < 3 ? waiting(approvalId) : task('COMPLETED'))
    const { url, calls } = await breaking(context, { found })
    const { callAgent, runtime } = caller({ stock: readCard(url) })
    expect(await passing(runtime.clock, callAgent('stock', parts, place))).toMatchObject({ state: 'complete' })
    expect(calls.filter((method) => /Send/.test(method))).toHaveLength(1)

    asked = -1_000
    const other = await breaking(context, { found })
    const { callAgent: again, runtime: later } = caller({ stock: readCard(other.url) })
    await expect(passing(later.clock, again('stock', parts, place))).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('what has become of it is not known') as string,
      details: place,
    })
    expect(other.calls.filter((method) => /Send/.test(method))).toHaveLength(1)
  })
})

test('a refusal of the task that is asked for is no refusal of what was said', async (context) => {
  const { url, calls } = await rawPeer(context, (raw) => {
    if (raw.call.method !== 'GetTask') return void raw.response.destroy()
    json(raw, { jsonrpc: '2.0', id: raw.call.id, error: { code: -32001, message: 'Task not found' } })
  })
  const { callAgent, runtime } = caller({ stock: readCard(url, { beach: {} }) })
  await expect(passing(runtime.clock, callAgent('stock', hello, place))).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('Do not simply ask again') as string,
  })
  expect(calls).toEqual(['SendStreamingMessage', 'GetTask'])
})

test('a decision that was refused for now is simply made again, and nothing is asked for', async (context) => {
  let refused = 0
  const { url, calls } = await rawPeer(context, (raw) => {
    if (refused++ < 2) return void raw.response.writeHead(429).end()
    events(raw)({ task: task('COMPLETED') })
  })
  const { callAgent, runtime } = caller({ stock: readCard(url) })
  const calling = callAgent('stock', decision('appr-1'), place)
  expect(await passing(runtime.clock, calling)).toMatchObject({ state: 'complete' })
  expect(calls).toEqual(Array.from({ length: 3 }, () => 'SendStreamingMessage'))
})

test('a decision that a Beach agent has carried out counts as told, though the connection broke', async () => {
  let paid = 0
  const pays = defineActor(async ({ respond, tool }) => {
    await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => void paid++)
    await respond({ parts: [{ partType: 'response', text: 'Booked.' }], turnState: 'complete' })
  })
  const { url } = await startAgent({ actors: { pays } })
  const card = readAgentCard(await (await fetch(`${url}/.well-known/agent-card.json`)).json())
  let sent = 0
  // The answer to the decision does not arrive.
  const own: typeof fetch = async (...args) => {
    const body = typeof args[1]?.body === 'string' ? args[1].body : ''
    const response = await fetch(...args)
    if (!body.includes('approval-response') || sent++ > 0) return response
    await response.text()
    throw new TypeError('fetch failed')
  }
  const { callAgent, runtime } = caller({ travel: card }, { fetch: own })
  const { approvals, taskId = '', contextId = '' } = await callAgent('travel', hello)
  const parts = decision(approvals[0]?.approvalId ?? '')
  const result = await passing(runtime.clock, callAgent('travel', parts, { taskId, contextId }))
  expect(result).toMatchObject({ state: 'complete', taskId })
  expect(result.parts.map(({ text }) => text)).toContain('Booked.')
  expect([paid, sent]).toEqual([1, 1])
})
