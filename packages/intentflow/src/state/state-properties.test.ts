import * as fc from 'fast-check'
import jsonPatch from 'fast-json-patch'
import { expect, test } from 'vitest'
import { serverEventSchema, type ServerEvent, type PatchOperation } from '../schemas/server-payloads.ts'
import { formatPath, type PathStep } from '../schemas/patch-path.ts'
import { activeFlowsSchema, type ActiveFlows, type FlowInstance } from './flow-instance.ts'
import { applyServerEvent } from './apply-server-event.ts'
import { statePatchOf } from './operations.ts'

// What a server says, made from numbers: what they pick depends on what is open at that moment.

const key = fc.constantFrom('a', 'b', 'a.b', 'c/d', 'e~f', '0', '', 'toString', 'ü"\\')
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 'text', 7),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value
const record = fc.dictionary(key, json, { maxKeys: 4 })

const move = fc.record({
  kind: fc.constantFrom('render', 'transition', 'patch', 'operations', 'dismiss', 'error', 'action', 'noise'),
  pick: fc.nat(),
  steps: fc.array(fc.record({ path: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), op: fc.nat(3) }), {
    minLength: 1,
    maxLength: 3,
  }),
  record,
  json,
  flag: fc.boolean(),
  at: fc.nat(),
})
type Move = typeof move extends fc.Arbitrary<infer Each> ? Each : never

const ids = ['flow_a', 'flow/b~', 'c']

function eventOf(flows: ActiveFlows, each: Move): ServerEvent {
  const instanceId = ids[each.pick % ids.length] ?? ''
  const instance = flows[instanceId]
  const head = { v: 1 as const, eventId: `e${each.pick}`, instanceId, at: each.at, seq: (instance?.seq ?? -1) + 1 }
  const type = 'CUSTOM'
  switch (each.kind) {
    case 'render':
      return { type, name: 'intentflow.render', value: renderOf(head, each) }
    case 'transition': {
      const followUp = each.flag ? { followUp: { intentId: 'order.track', props: each.record } } : {}
      return {
        type,
        name: 'intentflow.transition',
        value: { ...head, toState: 'next', context: each.record, ...followUp },
      }
    }
    case 'patch':
      return { type, name: 'intentflow.props_update', value: { ...head, patch: each.record } }
    case 'operations':
      return { type, name: 'intentflow.props_update', value: { ...head, operations: operationsOf(instance, each) } }
    case 'dismiss':
      return { type, name: 'intentflow.dismiss', value: { ...head, reason: 'completed' } }
    case 'error': {
      const value = { ...head, code: 'TIMEOUT' as const, message: 'Slow.', recoverable: true }
      return { type, name: 'intentflow.error', value }
    }
    case 'action': {
      const value = { ...head, action: 'haptic_feedback' as const, config: {}, responseRequired: false }
      return { type, name: 'intentflow.action', value }
    }
    case 'noise':
      return {
        type,
        name: 'intentflow.transition',
        value: { ...head, seq: head.seq + 1 + (each.pick % 3), toState: 'x' },
      }
  }
}

function renderOf(head: { instanceId: string; at: number; seq: number }, { record: props, flag }: Move) {
  const extra = flag ? { streaming: true, parentInstanceId: 'p', expiresAt: 9, priority: 'high' as const } : {}
  return {
    ...head,
    seq: 0,
    intentId: 'order.place',
    version: '1.2.0',
    state: 'one',
    props,
    displayMode: 'modal' as const,
    ...extra,
  }
}

const ops = ['set', 'delete', 'append', 'prepend'] as const

/** Operations on places that are there, most of which fit. */
function operationsOf(instance: FlowInstance | undefined, { steps, json: value }: Move): PatchOperation[] {
  return steps.map(({ path, op: index }) => {
    const op = ops[index] ?? 'set'
    const place = formatPath(pathIn(instance?.props, path))
    return op === 'delete' ? { op, path: place } : { op, path: place, value }
  })
}

function pathIn(value: unknown, [first = 0, ...rest]: readonly number[]): PathStep[] {
  const keys: PathStep[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value ?? {})
  const step = keys[first % (keys.length + 1)]
  if (step === undefined) return ['new']
  const inner: unknown = Reflect.get(value as object, step)
  return rest.length === 0 || typeof inner !== 'object' || inner === null ? [step] : [step, ...pathIn(inner, rest)]
}

function patched(activeFlows: ActiveFlows, event: ServerEvent): ActiveFlows {
  const operations = JSON.parse(JSON.stringify(statePatchOf(event))) as Parameters<typeof jsonPatch.applyPatch>[1]
  // As a client does it that knows nothing of flows: on copies that have come over the wire.
  const { newDocument } = jsonPatch.applyPatch({ activeFlows: structuredClone(activeFlows) }, operations, true)
  return newDocument.activeFlows
}

test('the reducer and the JSON Patch lead to the same, whatever a server says', () => {
  const taken = new Map<string, number>()
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      let flows: ActiveFlows = {}
      for (const each of moves) {
        const event = eventOf(flows, each)
        expect(serverEventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event)
        const before = structuredClone(flows)
        const after = applyServerEvent(flows, event)
        expect(flows).toEqual(before)
        if (after !== flows) {
          expect(patched(flows, event)).toEqual(after)
          taken.set(each.kind, (taken.get(each.kind) ?? 0) + 1)
        }
        flows = after
      }
    }),
    { seed: 1, numRuns: 300 },
  )
  // Each kind but the noise was really tried, and the noise never got through.
  expect([...taken.keys()].toSorted()).toEqual([
    'action',
    'dismiss',
    'error',
    'operations',
    'patch',
    'render',
    'transition',
  ])
})

test('duplicates, gaps and events out of order change nothing: a client ends where the server is, or waits', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 25 }), fc.array(fc.nat(), { maxLength: 60 }), (moves, picks) => {
      const said: ServerEvent[] = []
      const states: ActiveFlows[] = [{}]
      for (const each of moves) {
        const before = states.at(-1) ?? {}
        const event = eventOf(before, each)
        const after = applyServerEvent(before, event)
        if (after !== before) said.push(event)
        if (after !== before) states.push(after)
      }
      // One instance is opened once: a client cannot know of the end of what it never saw.
      fc.pre(
        new Set(said.filter(isRender).map((event) => event.value.instanceId)).size === said.filter(isRender).length,
      )
      let client: ActiveFlows = {}
      const known = (instanceId: string) =>
        states.map((state) => state[instanceId]).filter((each) => each !== undefined)
      for (const pick of picks) {
        const event = said[pick % Math.max(1, said.length)]
        if (event !== undefined) client = applyServerEvent(client, event)
        for (const [instanceId, instance] of Object.entries(client)) expect(known(instanceId)).toContainEqual(instance)
      }
    }),
    { seed: 2, numRuns: 200 },
  )
})

function isRender(event: ServerEvent): event is Extract<ServerEvent, { name: 'intentflow.render' }> {
  return event.name === 'intentflow.render'
}

test('whatever passes the schemas leaves a state that passes its own', () => {
  const anything = fc.record(
    {
      instanceId: fc.constantFrom(...ids, 'unknown', '__proto__'),
      seq: fc.nat(2),
      at: fc.nat(),
      intentId: fc.constant('order.place'),
      props: fc.oneof(record, fc.jsonValue()),
      displayMode: fc.constantFrom('inline', 'modal', 'wall'),
      toState: fc.string(),
      context: record,
      patch: record,
      operations: fc.array(fc.record({ op: fc.constantFrom(...ops), path: fc.string(), value: json })),
      reason: fc.constantFrom('completed', 'timeout'),
    },
    { requiredKeys: ['instanceId'] },
  )
  const names = ['render', 'transition', 'props_update', 'dismiss', 'error', 'action', 'event'] as const
  const name = fc.constantFrom(...names).map((each) => `intentflow.${each}`)
  fc.assert(
    fc.property(fc.array(fc.record({ type: fc.constant('CUSTOM'), name, value: anything })), (events) => {
      let flows: ActiveFlows = {}
      for (const event of events) {
        const parsed = serverEventSchema.safeParse(event)
        if (parsed.success) flows = applyServerEvent(flows, parsed.data)
      }
      expect(activeFlowsSchema.parse(JSON.parse(JSON.stringify(flows)))).toEqual(flows)
      expect(Object.getPrototypeOf(flows)).toBe(Object.prototype)
    }),
    { seed: 3 },
  )
})
