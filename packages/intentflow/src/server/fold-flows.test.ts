import type { SessionEvent } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { flowCounts, flowsNs, initialFlows, type Book, type FlowsState } from './flows-state.ts'
import { foldFlows } from './fold-flows.ts'

function shownEvent(name: ServerEvent['name'], data: object, value: Book = {}): SessionEvent {
  const part = { data, metadata: { partType: name } }
  return { type: 'sliceEvent', id: 'ev', v: 1, at: 1, ns: flowsNs, name, payload: { value, part } }
}

const render = shownEvent('intentflow.render', {
  intentId: 'order.place',
  instanceId: 'f',
  version: '1.0.0',
  props: {},
  state: 'review',
  context: {},
  displayMode: 'inline',
  seq: 0,
  at: 1,
})
const moved = (seq: number, context: object, value?: Book) =>
  shownEvent('intentflow.transition', { instanceId: 'f', seq, at: seq, toState: 'review', context }, value)
const fold = (events: readonly SessionEvent[], from: FlowsState = initialFlows) => events.reduce(foldFlows, from)
const { payload: _, ...withoutPayload } = moved(1, { a: 1 }) as SessionEvent & { payload: unknown }

test('an event whose payload was erased says nothing, and those after it still count', () => {
  const { flows } = fold([render, withoutPayload, moved(2, { b: 2 }), moved(3, { c: 3 })])
  expect(flows.f).toMatchObject({ seq: 3, context: { b: 2, c: 3 } })
})

test('an event that came before is not applied again', () => {
  const state = fold([render, moved(1, { a: 1 })])
  expect(foldFlows(state, moved(1, { a: 9 }))).toEqual(state)
  expect(foldFlows(state, render)).toEqual(state)
})

test('events of others, and of other kinds, leave it as it is', () => {
  const state = fold([render])
  const other = { ...moved(1, {}), ns: 'other' } as SessionEvent
  expect(foldFlows(state, other)).toBe(state)
  expect(
    foldFlows(state, {
      type: 'turnSettled',
      id: 'e',
      v: 1,
      at: 1,
      turnId: 't',
      turnState: 'complete',
      finalizedBy: 'complete',
    }),
  ).toBe(state)
})

test('the fold changes nothing that it was given', () => {
  const state = Object.freeze(fold([render]))
  Object.freeze(state.flows)
  Object.freeze(state.results)
  expect(() => fold([moved(1, { a: 1 }, { result: { eventId: 'e', at: 1, instanceId: 'f' } })], state)).not.toThrow()
  expect(state.results).toEqual([{ instanceId: 'f', kept: [] }])
})

test('results of what is over are kept for a day, and no more than there is room for', () => {
  const day = flowCounts.pastMs
  const note = (eventId: string, at: number): SessionEvent => ({
    type: 'sliceEvent',
    id: 'ev',
    v: 1,
    at,
    ns: flowsNs,
    name: 'note',
    payload: { value: { result: { eventId, at } } },
  })
  const many = fold(Array.from({ length: flowCounts.past + 20 }, (_unused, index) => note(`e${index}`, index)))
  expect(many.past).toHaveLength(flowCounts.past)
  expect(many.past.at(-1)?.eventId).toBe(`e${flowCounts.past + 19}`)
  const later = fold([note('new', day + flowCounts.past + 100)], many)
  expect(later.past.map(({ eventId }) => eventId)).toEqual(['new'])
})
