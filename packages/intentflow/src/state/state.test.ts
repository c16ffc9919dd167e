import { expect, test } from 'vitest'
import type { RenderPayload, ServerEvent } from '../schemas/server-payloads.ts'
import { activeFlowsSchema, type ActiveFlows } from './flow-instance.ts'
import { applyServerEvent } from './apply-server-event.ts'
import { statePatchOf } from './operations.ts'

const render: RenderPayload = {
  v: 1,
  eventId: 'e0',
  at: 10,
  seq: 0,
  instanceId: 'f',
  intentId: 'order.place',
  version: '2.0.0',
  state: 'review',
  props: { items: [1] },
  context: { a: 1 },
  displayMode: 'fullscreen',
  dismissable: false,
  streaming: true,
}
const custom = <Name extends ServerEvent['name']>(name: Name, value: Extract<ServerEvent, { name: Name }>['value']) =>
  ({ type: 'CUSTOM', name, value }) as ServerEvent
const opened = applyServerEvent({}, custom('intentflow.render', render))

test('a render opens an instance with all that is needed to show it again', () => {
  expect(opened).toEqual({
    f: {
      intentId: 'order.place',
      version: '2.0.0',
      state: 'review',
      props: { items: [1] },
      context: { a: 1 },
      displayMode: 'fullscreen',
      priority: 'normal',
      dismissable: false,
      streaming: true,
      seq: 0,
      createdAt: 10,
      updatedAt: 10,
    },
  })
  expect(applyServerEvent(opened, custom('intentflow.render', render))).toBe(opened)
})

test('a transition merges its context, and a later one takes its suggestion back', () => {
  const followUp = { intentId: 'order.track', props: { orderId: 'o1' } }
  const value = { instanceId: 'f', seq: 1, at: 20, toState: 'confirmed', context: { b: 2 }, followUp }
  const after = applyServerEvent(opened, custom('intentflow.transition', value))
  expect(after['f']).toMatchObject({ state: 'confirmed', context: { a: 1, b: 2 }, followUp, seq: 1, updatedAt: 20 })
  const later = applyServerEvent(after, custom('intentflow.transition', { instanceId: 'f', seq: 2, toState: 'done' }))
  expect(later['f']).toMatchObject({ followUp: null, seq: 2, updatedAt: 20 })
})

test.each([
  ['an unknown instance', { instanceId: 'g', seq: 1 }],
  ['what was there before', { instanceId: 'f', seq: 0 }],
  ['a gap', { instanceId: 'f', seq: 2 }],
  ['what every object has', { instanceId: 'toString', seq: 1 }],
])('%s changes nothing', (_name, place) => {
  const moves: ServerEvent[] = [
    custom('intentflow.transition', { ...place, toState: 'x' }),
    custom('intentflow.props_update', { ...place, patch: { x: 1 } }),
    custom('intentflow.dismiss', { ...place, reason: 'completed' }),
  ]
  for (const event of moves) expect(applyServerEvent(opened, event)).toBe(opened)
})

test('operations that do not fit change nothing, not even the seq', () => {
  const operations = [{ op: 'set' as const, path: 'items[5]', value: 1 }]
  const event = custom('intentflow.props_update', { instanceId: 'f', seq: 1, operations })
  expect(applyServerEvent(opened, event)).toBe(opened)
})

test('a server that numbers nothing is followed all the same', () => {
  const bare: ActiveFlows = applyServerEvent(
    {},
    custom('intentflow.render', {
      intentId: 'a.b',
      instanceId: 'f',
      props: {},
      displayMode: 'inline',
      initialState: 's',
    }),
  )
  expect(bare['f']).toMatchObject({ state: 's', seq: 0, createdAt: 0, dismissable: true, version: '1.0.0' })
  const moved = custom('intentflow.transition', { instanceId: 'f', toState: 't' })
  expect(applyServerEvent(bare, moved)['f']).toMatchObject({ state: 't', seq: 0 })
  expect(statePatchOf(moved)).toEqual([
    { op: 'replace', path: '/activeFlows/f/state', value: 't' },
    { op: 'add', path: '/activeFlows/f/followUp', value: null },
  ])
})

test('errors and actions patch nothing, unless they have a place among the events of an instance', () => {
  const error = { code: 'TIMEOUT' as const, message: 'x', recoverable: true }
  expect(statePatchOf(custom('intentflow.error', error))).toEqual([])
  expect(statePatchOf(custom('intentflow.error', { ...error, instanceId: 'f' }))).toEqual([])
  expect(applyServerEvent(opened, custom('intentflow.error', { ...error, instanceId: 'f' }))).toBe(opened)
  const counted = custom('intentflow.error', { ...error, instanceId: 'f', seq: 1 })
  expect(statePatchOf(counted)).toEqual([{ op: 'replace', path: '/activeFlows/f/seq', value: 1 }])
  expect(applyServerEvent(opened, counted)['f']?.seq).toBe(1)
})

test('a snapshot is read back as it was', () => {
  expect(activeFlowsSchema.parse(JSON.parse(JSON.stringify(opened)))).toEqual(opened)
})
