import type { Principal } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { assign, createMachine, emit, enqueueActions, fromPromise, raise, setup, spawnChild } from 'xstate'
import * as z from 'zod'
import { FlowError } from '../schemas/flow-error.ts'
import { orderIntent, orderPlace, orderTrack } from './coffee.test-helper.ts'
import { checkPermissions } from './permissions.ts'
import { compareVersions, migrateProps, propsForClient } from './migrations.ts'
import { defineEventHandlers, type HandlerInput } from './event-handlers.ts'
import { defineFlow } from './define-flow.ts'
import { defineHydrator, type HydratorInput } from './hydrator.ts'
import { defineIntent, flowToolName, intentIdOfTool } from './intent.ts'
import type { FlowEvents, PropsOf } from './flow.ts'

const meta = { title: 'T', description: 'D' }
const schema = z.object({})
const simple = createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { type: 'final' } } })
const go: FlowEvents = { GO: { source: 'client' } }
const define = (machine: Parameters<typeof defineFlow>[0]['machine'], events: FlowEvents = go, more: object = {}) =>
  defineFlow({ intentId: 'a.b', meta, schema, machine, events, ...more })

describe('ids', () => {
  test.each(['order.place', 'order.add_item', 'a.b.c', 'menu2.browse'])('%s is one, and its tool leads back', (id) => {
    expect(define(simple, go, { intentId: id }).intentId).toBe(id)
    expect(flowToolName(id)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(intentIdOfTool(flowToolName(id))).toBe(id)
  })

  test.each([
    'order',
    'Order.place',
    'order.',
    '.place',
    'order.add__item',
    'order_.x',
    'order._x',
    'a b.c',
    '1.a',
    '',
  ])('"%s" is none', (id) => {
    expect(() => define(simple, go, { intentId: id })).toThrow(`"${id}" is no intentId: write domain.action`)
  })

  test('no two ids share a tool, and other tools are no flows', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,3}(_[a-z0-9]{1,3}){0,2}$/)
    const id = fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => words.join('.'))
    fc.assert(
      fc.property(id, (each) => {
        expect(intentIdOfTool(flowToolName(each))).toBe(each)
      }),
    )
    for (const name of ['ask_travel', 'order.place', 'order___place', 'respond']) {
      expect(intentIdOfTool(name), name).toBeUndefined()
    }
  })

  test('one that is too long for a tool is refused', () => {
    expect(() => define(simple, go, { intentId: `order.${'x'.repeat(60)}` })).toThrow('may have 64 characters')
  })
})

describe('what a flow is made of', () => {
  test('has defaults', () => {
    expect(define(simple)).toMatchObject({
      kind: 'flow',
      version: '1.0.0',
      meta: {
        ...meta,
        displayMode: 'inline',
        priority: 'normal',
        dismissable: true,
        streaming: false,
        retainOnFinal: false,
        examples: [],
      },
      permissions: {},
      migrations: [],
    })
    expect(define(simple).context({})).toEqual({})
  })

  test.each([
    ['a version that is none', { version: '1.0' }, 'its version "1.0" must be three numbers'],
    ['a migration to itself', { migrations: [{ from: '1.0.0', to: '1.0.0' }] }, 'leads to the same version'],
    ['no title', { meta: { title: ' ', description: 'x' } }, 'needs a title and a description'],
    ['an unknown display mode', { meta: { ...meta, displayMode: 'wall' } }, 'displayMode must be one of inline, modal'],
    ['an expiry that is none', { meta: { ...meta, expiresInMs: 0 } }, 'expiresInMs must be a number above 0'],
    ['a schema that is none', { schema: z.string() }, 'its schema must be a z.object'],
    ['an event that no state takes', { events: { ...go, STOP: { source: 'client' } } }, 'STOP is taken in no state'],
    ['an event that is not declared', { events: {} }, "takes GO, which is not in events. Add GO: { source: 'client' }"],
    [
      'a source that is none',
      { events: { GO: { source: 'nobody' } } },
      "the source of GO must be 'client' or 'server'",
    ],
    ['a confirmation of the server', { events: { GO: { source: 'server', confirm: true } } }, "GO is the server's own"],
  ])('%s is refused', (_name, more, problem) => {
    expect(() => define(simple, go, more)).toThrow(
      expect.objectContaining({ code: 'INVALID_REGISTRATION', message: expect.stringContaining(problem) }),
    )
  })

  test('types follow: props, payloads, entities', () => {
    expectTypeOf<PropsOf<typeof orderTrack>>().toEqualTypeOf<{ orderId: string }>()
    defineEventHandlers(orderPlace, {
      CONFIRM: async ({ props, payload }) => {
        expectTypeOf(props.items[0]?.quantity).toEqualTypeOf<number | undefined>()
        expectTypeOf(payload).toEqualTypeOf<{ tip?: number | undefined }>()
        // @ts-expect-error -- it has no such event.
        const wrong: 'SUCCESS' | 'FAILURE' | 'CONFIRM' | 'EDIT' = 'NONE'
        return { event: 'SUCCESS', payload: { orderId: wrong } }
      },
    })
    defineHydrator(orderPlace, orderIntent, ({ entities }) => {
      expectTypeOf(entities.quantity).toEqualTypeOf<number | undefined>()
      return { items: [] }
    })
  })
})

describe('machines', () => {
  const { machine } = orderPlace
  const begin = { total: 2 }

  test('begin in their initial state, with the given context laid over their own', () => {
    expect(machine.initial(begin)).toEqual({ state: 'review', context: { total: 2 } })
    expect(machine.initial()).toEqual({ state: 'review', context: { total: 0 } })
    const made = define(
      createMachine({
        initial: 'a',
        context: { n: 1, m: 1 },
        states: { a: { entry: assign({ sum: ({ context }) => context.n + context.m }), on: { GO: 'b' } }, b: {} },
      }),
    )
    expect(made.machine.initial({ n: 5 })).toEqual({ state: 'a', context: { n: 5, m: 1, sum: 6 } })
  })

  test('say which states and events there are', () => {
    expect(machine.states).toEqual(['review', 'editing', 'processing', 'confirmed'])
    expect(machine.events('review')).toEqual(['CONFIRM', 'EDIT', 'child.done.chosen'])
    expect(machine.events('confirmed')).toEqual([])
    expect(machine.events('toString')).toEqual([])
    expect(machine.isFinal('confirmed')).toBe(true)
    expect(machine.isFinal('review')).toBe(false)
  })

  test('move by events, with payloads, guards and assignments; nothing is remembered', () => {
    const confirm = { type: 'CONFIRM', payload: { tip: 1 } }
    expect(machine.next('review', begin, confirm)).toEqual({
      state: 'processing',
      context: { total: 2, tip: 1 },
      changed: true,
    })
    expect(machine.next('review', { total: 0 }, confirm)).toBeUndefined()
    expect(machine.next('confirmed', begin, confirm)).toBeUndefined()
    expect(machine.next('nowhere', begin, confirm)).toBeUndefined()
    expect(machine.next('review', begin, { type: 'SUCCESS' })).toBeUndefined()
    expect(machine.next('review', begin, { type: 'child.done.chosen' })).toEqual({
      state: 'review',
      context: { total: 3 },
      changed: true,
    })
    expect(begin).toEqual({ total: 2 })
    // The payload cannot pretend to be another event.
    expect(machine.next('review', begin, { type: 'EDIT', payload: { type: 'CONFIRM' } })?.state).toBe('editing')
  })

  test('what an assignment takes back is null, since what is sent is merged; what it never had is left out', () => {
    const cleared = define(
      createMachine({
        initial: 'a',
        context: {},
        states: {
          a: { on: { GO: { actions: assign({ had: undefined, never: undefined, deep: { x: undefined } }) } } },
        },
      }),
    )
    const next = cleared.machine.next('a', { had: 1, kept: 2 }, { type: 'GO' })
    expect(next?.context).toStrictEqual({ had: null, kept: 2, deep: {} })
    expect(cleared.machine.initial({ none: undefined }).context).toStrictEqual({})
  })

  test('events raised inside and transitions without one are followed at once', () => {
    const chained = define(
      createMachine({
        initial: 'a',
        context: {},
        states: { a: { on: { GO: { actions: raise({ type: 'NEXT' }) }, NEXT: 'b' } }, b: { always: 'c' }, c: {} },
      }),
      { ...go, NEXT: { source: 'server' } },
    )
    expect(chained.machine.next('a', {}, { type: 'GO' })).toMatchObject({ state: 'c', changed: true })
  })

  test('an event for all states is one of each; child events need no declaration', () => {
    const made = define(
      createMachine({ initial: 'a', on: { GO: '.b' }, states: { a: { on: { 'child.done.*': 'b' } }, b: {} } }),
    )
    expect(made.machine.events('b')).toEqual(['GO'])
    expect(made.machine.next('a', {}, { type: 'child.done.paid' })?.state).toBe('b')
  })

  test('nothing leads out of a final state, not even an event for all states', () => {
    const made = define(createMachine({ initial: 'a', on: { GO: '.a' }, states: { a: {}, b: { type: 'final' } } }))
    expect(made.machine.events('b')).toEqual([])
    expect(made.machine.next('b', {}, { type: 'GO' })).toBeUndefined()
    expect(made.machine.next('a', {}, { type: 'GO' })?.state).toBe('a')
  })

  test('suggest what comes next', () => {
    expect(machine.followUp('confirmed', { context: { orderId: 'o1' }, props: {} })).toEqual({
      intentId: 'order.track',
      props: { orderId: 'o1' },
    })
    expect(machine.followUp('review', { context: {}, props: {} })).toBeUndefined()
  })

  const started = fromPromise(async () => 1)
  test.each([
    ['nested states', { a: { initial: 'x', states: { x: {} }, on: { GO: 'b' } }, b: {} }, 'has states inside it'],
    ['invoke', { a: { invoke: { src: started }, on: { GO: 'b' } }, b: {} }, 'its state a invokes something'],
    ['after', { a: { after: { 100: 'b' }, on: { GO: 'b' } }, b: {} }, 'waits for time to pass'],
    [
      'a side effect',
      { a: { entry: () => {}, on: { GO: 'b' } }, b: {} },
      'has the action "anonymous", which would not run',
    ],
    [
      'an unknown action',
      { a: { on: { GO: { target: 'b', actions: 'tell' } } }, b: {} },
      '"tell", which the machine does not',
    ],
    [
      'spawnChild',
      { a: { exit: spawnChild(started), on: { GO: 'b' } }, b: {} },
      '"xstate.spawnChild", which would not run',
    ],
    ['emit', { a: { on: { GO: { target: 'b', actions: emit({ type: 'X' }) } } }, b: {} }, '"xstate.emit"'],
    [
      'a delayed raise',
      { a: { entry: raise({ type: 'GO' }, { delay: 5 }), on: { GO: 'b' } }, b: {} },
      'raise with a delay',
    ],
    ['a wildcard', { a: { on: { GO: 'b', '*': 'b' } }, b: {} }, 'takes "*"; name each event'],
    ['a follow-up without an id', { a: { on: { GO: 'b' } }, b: { meta: { followUp: {} } } }, 'needs an intentId'],
  ])('%s is refused when the flow is defined', (_name, states, problem) => {
    expect(() => define(createMachine({ initial: 'a', states }))).toThrow(problem)
  })

  test('named actions that are provided count as what they are', () => {
    const good = setup({ actions: { count: assign({ n: 1 }) } }).createMachine({
      initial: 'a',
      context: { n: 0 },
      states: { a: { on: { GO: { target: 'b', actions: 'count' } } }, b: {} },
    })
    expect(define(good).machine.next('a', { n: 0 }, { type: 'GO' })?.context).toEqual({ n: 1 })
    const bad = setup({ actions: { tell: () => {} } }).createMachine({
      initial: 'a',
      states: { a: { on: { GO: { target: 'b', actions: 'tell' } } }, b: {} },
    })
    expect(() => define(bad)).toThrow('"tell", which would not run')
  })

  test('parallel machines and machines without states are refused', () => {
    expect(() => define(createMachine({ type: 'parallel', states: { a: { on: { GO: {} } } } }))).toThrow('parallel')
    expect(() => define(createMachine({}))).toThrow('no states')
  })

  test.each([
    ['a guard that throws', { guard: boom, target: 'b' }],
    ['an assignment that throws', { actions: assign(boom), target: 'b' }],
    ['a context that is no JSON', { actions: assign({ when: new Date(0) }), target: 'b' }],
    ['an effect from inside', { actions: enqueueActions(({ enqueue }) => enqueue(() => {})), target: 'b' }],
  ])('%s is an internal error that says nothing to users', (_name, transition) => {
    const config = { initial: 'a', context: {}, states: { a: { on: { GO: transition } }, b: {} } }
    const { machine: made } = define(createMachine(config as Parameters<typeof createMachine>[0]))
    const move = () => made.next('a', {}, { type: 'GO' })
    expect(move).toThrow(expect.objectContaining({ code: 'INTERNAL_ERROR', message: 'Something went wrong here.' }))
  })

  function boom(): never {
    throw new Error('boom')
  }

  test('whatever clients send, the machine stays in a declared state with a context of JSON', () => {
    const event = fc.record({
      type: fc.oneof(fc.constantFrom('CONFIRM', 'EDIT', 'SUCCESS', 'FAILURE', 'child.done.chosen'), fc.string()),
      payload: fc.dictionary(fc.constantFrom('tip', 'orderId', 'type', 'total', 'x'), fc.jsonValue()),
    })
    const visited = new Set<string>()
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        let place = machine.initial({ total: 1 })
        for (const each of events) {
          const next = machine.next(place.state, place.context, each)
          expect(next === undefined || machine.events(place.state).includes(each.type)).toBe(true)
          place = next ?? place
          visited.add(place.state)
          expect(machine.states).toContain(place.state)
          expect(JSON.parse(JSON.stringify(place.context))).toEqual(place.context)
        }
      }),
      { seed: 4, numRuns: 300 },
    )
    expect(visited).toEqual(new Set(machine.states))
  })
})

describe('permissions', () => {
  const ann: Principal = { kind: 'user', id: 'ann', tenant: 't', scopes: ['orders:write'] }
  const guest: Principal = { kind: 'anonymous', id: 'x', tenant: 't' }
  const all = { principal: ann, roles: ['member'], features: ['ordering'] }

  test('all that is asked for must be there, of roles one', () => {
    expect(checkPermissions(orderPlace, all)).toEqual({ allowed: true })
    expect(checkPermissions(orderTrack, { principal: guest })).toEqual({ allowed: true })
  })

  test('an anonymous caller has neither roles nor scopes, whatever is claimed for them', () => {
    const claimed = { principal: { ...guest, scopes: ['s'] }, roles: ['r'], features: ['f'] }
    expect(checkPermissions({ permissions: { roles: ['r'] } }, claimed)).toMatchObject({ code: 'AUTH_REQUIRED' })
    expect(checkPermissions({ permissions: { scopes: ['s'] } }, claimed)).toMatchObject({ code: 'AUTH_REQUIRED' })
    expect(checkPermissions({ permissions: { features: ['f'] } }, claimed)).toEqual({ allowed: true })
  })

  test.each([
    [{ ...all, principal: guest }, 'AUTH_REQUIRED', 'signed in'],
    [{ ...all, roles: ['other'] }, 'PERMISSION_DENIED', 'one of the roles guest, member'],
    [{ principal: ann, features: ['ordering'] }, 'PERMISSION_DENIED', 'one of the roles'],
    [{ ...all, principal: { ...ann, scopes: [] } }, 'PERMISSION_DENIED', 'the scope orders:write'],
    [{ ...all, features: [] }, 'PERMISSION_DENIED', 'the feature ordering'],
  ] as const)('otherwise it says what is missing (%#)', (who, code, reason) => {
    expect(checkPermissions(orderPlace, who)).toEqual({ allowed: false, code, reason: expect.stringContaining(reason) })
  })
})

describe('versions', () => {
  test('are compared by number', () => {
    expect(['1.10.0', '1.9.0', '2.0.0', '1.9.10'].toSorted(compareVersions)).toEqual([
      '1.9.0',
      '1.9.10',
      '1.10.0',
      '2.0.0',
    ])
  })

  const old = { item: { id: 'i', name: 'Tea', quantity: 1 }, comment: 'hot' }
  const now = { items: [old.item], note: 'hot' }

  test('migrations lead up and down, over as many steps as it takes, and change nothing in place', () => {
    const before = structuredClone(old)
    expect(migrateProps(orderPlace, old, '1.0.0', '2.0.0')).toEqual(now)
    expect(migrateProps(orderPlace, now, '2.0.0', '1.0.0')).toEqual(old)
    expect(migrateProps(orderPlace, now, '2.0.0', '1.1.0')).toEqual({ items: [old.item], comment: 'hot' })
    expect(migrateProps(orderPlace, now, '2.0.0', '2.0.0')).toBe(now)
    const changing = (props: Record<string, unknown>) => Object.assign(props, { changed: true })
    const careless = { ...orderPlace, migrations: [{ from: '1.0.0', to: '2.0.0', up: changing, down: changing }] }
    expect(migrateProps(careless, old, '1.0.0', '2.0.0')).toEqual({ ...old, changed: true })
    expect(old).toEqual(before)
  })

  test('a client gets props of the version that it can show, or an error', () => {
    expect(propsForClient(orderPlace, now, undefined)).toBe(now)
    expect(propsForClient(orderPlace, now, '1.0.0')).toEqual(old)
    expect(propsForClient(orderPlace, now, '2.3.0')).toBe(now)
    expect(() => propsForClient(orderPlace, now, '3.0.0')).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_VERSION',
        details: { intentId: 'order.place', from: '2.0.0', to: '3.0.0' },
      }),
    )
  })
})

describe('what belongs to a flow', () => {
  const input = { entities: {}, session: 's' } as unknown as HydratorInput

  test('a hydrator gives props, or props with where to begin', async () => {
    const plain = defineHydrator(orderTrack, async () => ({ orderId: 'o1' }))
    expect(plain).toMatchObject({ kind: 'hydrator', intentId: 'order.track' })
    expect(await plain.hydrate(input)).toEqual({ props: { orderId: 'o1' } })
    const full = defineHydrator(orderTrack, () => ({
      props: { orderId: 'o1' },
      initialState: 'ready',
      context: { a: 1 },
    }))
    expect(await full.hydrate(input)).toEqual({ props: { orderId: 'o1' }, initialState: 'ready', context: { a: 1 } })
    const failing = defineHydrator(orderTrack, async () => {
      throw new FlowError('HYDRATION_FAILED', 'You have no open order.', { details: { appCode: 'NO_ACTIVE_ORDER' } })
    })
    await expect(failing.hydrate(input)).rejects.toMatchObject({ code: 'HYDRATION_FAILED' })
  })

  test('members that are undefined count as left out, wherever an application gives data', async () => {
    const hydrator = defineHydrator(orderPlace, () => ({ items: [], note: undefined }))
    expect(await hydrator.hydrate(input)).toStrictEqual({ props: { items: [] } })
    const { handlers } = defineEventHandlers(orderPlace, {
      CONFIRM: async () => ({ event: 'SUCCESS', payload: { orderId: 'o', tip: undefined } }),
    })
    expect(await handlers['CONFIRM']?.run({} as HandlerInput)).toStrictEqual({
      event: 'SUCCESS',
      payload: { orderId: 'o' },
    })
    expect(define(simple, go, { context: () => ({ a: undefined }) }).context({})).toStrictEqual({})
  })

  test('a flow may have a prop that is called props', async () => {
    const odd = defineFlow({
      intentId: 'a.b',
      meta,
      schema: z.object({ props: z.string() }),
      machine: simple,
      events: go,
    })
    expect(await defineHydrator(odd, () => ({ props: 'x' })).hydrate(input)).toEqual({ props: { props: 'x' } })
  })

  test('handlers are functions, or functions with options', async () => {
    const { handlers } = defineEventHandlers(orderPlace, {
      CONFIRM: { run: async () => ({ event: 'SUCCESS' }), idempotent: true, timeoutMs: 5 },
      EDIT: () => undefined,
    })
    expect(handlers['CONFIRM']).toMatchObject({ idempotent: true, timeoutMs: 5, failure: 'FAILURE' })
    expect(handlers['EDIT']).toMatchObject({ idempotent: false, timeoutMs: 30_000 })
    expect(await handlers['EDIT']?.run({} as HandlerInput)).toEqual({})
  })

  test('handlers of events that there are not, and failures that there are not, are refused', () => {
    const given = { NONE: async () => ({}) } as object
    expect(() => defineEventHandlers(orderPlace, given)).toThrow('no event NONE to handle. Its events: CONFIRM, EDIT')
    const failure = { CONFIRM: { run: async () => ({}), failure: 'NONE' } } as object
    expect(() => defineEventHandlers(orderPlace, failure)).toThrow('the failure NONE of CONFIRM is none of its events')
    const timeout = { CONFIRM: { run: async () => ({}), timeoutMs: 0 } }
    expect(() => defineEventHandlers(orderPlace, timeout)).toThrow('timeoutMs of CONFIRM must be a number above 0')
  })

  test('an intent needs a flow', () => {
    expect(() => defineIntent({})).toThrow('defineIntent needs a flow, or an intentId')
    expect(() => defineIntent({ flow: orderPlace, intentId: 'order.track' })).toThrow('was given the flow order.place')
    expect(defineIntent({ intentId: 'a.b', disambiguateFrom: ['a.c'] }).disambiguateFrom).toEqual({ 'a.c': '' })
    expect(defineIntent({ flow: orderPlace }).examples).toEqual(['order a coffee'])
  })
})
