import type { SessionEvent } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import { TurnSpans } from './turn-spans.ts'

const turnId = 'turn_1'
const started = { type: 'turnStarted', turnId, actor: 'clerk', messageIds: [], epoch: 1 }
const step = (number: number) => ({ type: 'stepCommitted', turnId, step: number, hash: 'h', partIds: [], payload: {} })
const part = (partId: string) => ({ type: 'partReceived', turnId, partId, partType: 'ack', turnState: 'awaiting' })
const noted = (kind: string, value: unknown) => ({ type: 'actorNoted', turnId, kind, payload: { value } })
const usage = (ms: number) => noted('usage', { model: 'claude', inputTokens: 9, outputTokens: 1, ms })

/** The rows of a turn of these events, each with its time. */
function rowsOf(...events: readonly (readonly [at: number, event: object])[]) {
  const spans = new TurnSpans(20)
  for (const [index, [at, event]] of [[0, started] as const, ...events].entries()) {
    spans.add({ seq: index + 1, event: { ...event, id: `ev_${index}`, v: 1, at } as SessionEvent })
  }
  return spans.spans[0]?.rows ?? []
}

test('a step of a function is no call of a model', () => {
  const [row] = rowsOf([5, step(0)])
  expect(row).toMatchObject({ kind: 'step', title: 'Step 0', at: 5 })
})

test('a call of a model comes where it began, before what it said on the way', () => {
  const rows = rowsOf([40, step(0)], [40, part('turn_1.0.0')], [60, step(1)], [60, usage(59)])
  expect(rows.map(({ kind, title, at, endAt }) => [kind, title, at, endAt])).toEqual([
    ['model', 'claude', 1, 60],
    ['step', 'Step 0', 40, undefined],
    ['part', 'ack', 40, undefined],
  ])
})

test('a message of a model that became no step is a call of its own, and leaves the one before as it was', () => {
  const rows = rowsOf(
    [10, step(0)],
    [10, usage(8)],
    [10, noted('prompt', { messages: ['first'] })],
    [30, usage(15)],
    [30, noted('prompt', { messages: ['second'] })],
    [30, noted('model-message', {})],
  )
  expect(rows.map(({ kind, at, detail: { usage: used, prompt } }) => [kind, at, used, prompt])).toEqual([
    ['model', 2, expect.objectContaining({ ms: 8 }), { messages: ['first'] }],
    ['model', 15, expect.objectContaining({ ms: 15 }), { messages: ['second'] }],
    ['note', 30, undefined, undefined],
  ])
})

test('an event of a slice says which flow it is about, and what has become of it', () => {
  const event = (name: string, payload: object) => ({ type: 'sliceEvent', ns: 'intentflow', name, payload })
  const prepared = { intentId: 'order.place', state: 'review', props: { reason: ['not read'] } }
  const rows = rowsOf(
    [5, event('note', { value: { prepared } })],
    [6, event('transition', { value: {}, part: { data: { instanceId: 'flow_1', toState: 'confirmed' } } })],
    [7, event('note', {})],
  )
  expect(rows.map(({ kind, title }) => [kind, title])).toEqual([
    ['flow', 'intentflow.note · order.place · review'],
    ['flow', 'intentflow.transition · confirmed'],
    ['flow', 'intentflow.note'],
  ])
})
