import type { Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { alice, bob, eventsOf, eventually, follow } from '../../../session/src/host/test-context.test-helper.ts'
import { FlowError } from '../schemas/flow-error.ts'
import { clientEvent, dismissal, handRun, mirrored, say, serverEvents, shop, type Shop } from './shop.test-helper.ts'

async function ordered(given: Shop, by: Principal = alice): Promise<string> {
  return (await given.flows.invoke(given.session, { intentId: 'order.place' }, by)).instanceId
}

const flowOf = async ({ flows, session }: Shop, id: string) => (await flows.active(session))[id]

describe('a client event', () => {
  test('an event moves the instance, and every listener sees it', async () => {
    const given = await shop()
    const listener = follow(given.sessions, given.session)
    const id = await ordered(given)
    const { answer, awaits } = await say(given, {
      events: [clientEvent(id, 'EDIT', { eventId: 'e1', payload: { note: 'hot' } })],
    })
    expect(answer).toEqual({ results: [{ eventId: 'e1', status: 'applied', seq: 1, instanceId: id }] })
    expect(awaits).toBeUndefined()
    await eventually(() => serverEvents(listener.frames).length === 2)
    expect(serverEvents(listener.frames)).toMatchObject([
      {
        name: 'intentflow.render',
        value: {
          v: 1,
          intentId: 'order.place',
          instanceId: id,
          version: '1.0.0',
          state: 'review',
          seq: 0,
          context: {},
          dismissable: true,
          displayMode: 'inline',
          props: { items: [{ name: 'Cappuccino', quantity: 1 }] },
        },
      },
      {
        name: 'intentflow.transition',
        value: { instanceId: id, toState: 'review', seq: 1, context: { problem: 'hot' }, inReplyTo: 'e1' },
      },
    ])
    expect(mirrored(listener.frames)).toEqual(await given.flows.active(given.session))
    listener.leave()
  })

  test('that comes twice is done once, and answered as before', async () => {
    const given = await shop()
    const id = await ordered(given)
    const said = { events: [clientEvent(id, 'EDIT', { eventId: 'e1' }), clientEvent(id, 'EDIT', { eventId: 'e2' })] }
    await say(given, said)
    const before = (await eventsOf(given.there, given.session)).length
    const { answer } = await say(given, said)
    expect(answer.results).toEqual([
      { eventId: 'e1', status: 'duplicate', seq: 1, instanceId: id },
      { eventId: 'e2', status: 'duplicate', seq: 2, instanceId: id },
    ])
    expect(await eventsOf(given.there, given.session)).toHaveLength(before)
  })

  test('twice in the same message is one', async () => {
    const given = await shop()
    const id = await ordered(given)
    const one = clientEvent(id, 'EDIT', { eventId: 'e1' })
    const { answer } = await say(given, { events: [one, one] })
    expect(answer.results.map(({ status }) => status)).toEqual(['applied', 'duplicate'])
    expect(await flowOf(given, id)).toMatchObject({ seq: 1 })
  })

  test('without an id is taken, but can be taken again', async () => {
    const given = await shop()
    const id = await ordered(given)
    await say(given, { events: [clientEvent(id, 'EDIT'), clientEvent(id, 'EDIT')] })
    expect(await flowOf(given, id)).toMatchObject({ seq: 2 })
  })

  test('to an instance that has ended is answered as before, while that is remembered', async () => {
    const given = await shop()
    const id = await ordered(given)
    await say(given, { events: [dismissal(id, { eventId: 'd1' })] })
    const again = await say(given, { events: [dismissal(id, { eventId: 'd1' }), dismissal(id, { eventId: 'd2' })] })
    expect(again.answer.results).toMatchObject([
      { eventId: 'd1', status: 'duplicate', seq: 1 },
      { eventId: 'd2', status: 'rejected', code: 'INSTANCE_NOT_FOUND' },
    ])
  })

  test('is told from one of another instance with the same id, also when that is over', async () => {
    const given = await shop()
    const [first, second] = [await ordered(given), await ordered(given)]
    await say(given, { events: [clientEvent(first, 'EDIT', { eventId: '1' }), dismissal(first, { eventId: '2' })] })
    const { answer } = await say(given, {
      events: ['1', '2', '1'].map((eventId) => clientEvent(second, 'EDIT', { eventId })),
    })
    expect(answer.results).toMatchObject([
      { status: 'applied', seq: 1, instanceId: second },
      { status: 'applied', seq: 2, instanceId: second },
      { status: 'duplicate', seq: 1, instanceId: second },
    ])
    const again = await say(given, { events: [clientEvent(first, 'EDIT', { eventId: '1' })] })
    expect(again.answer.results).toMatchObject([{ status: 'duplicate', seq: 1, instanceId: first }])
  })

  test('and an invocation are remembered when an instance that has had several has ended', async () => {
    const given = await shop()
    const invoke = { eventId: 'i', intentId: 'order.place' }
    const listener = follow(given.sessions, given.session)
    await say(given, { invoke })
    await listener.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'intentflow.render')
    const [id = ''] = Object.keys(await given.flows.active(given.session))
    for (const eventId of ['1', '2', '3']) await say(given, { events: [clientEvent(id, 'EDIT', { eventId })] })
    await say(given, { events: [dismissal(id, { eventId: 'd' })] })
    const { answer } = await say(given, { invoke, events: [clientEvent(id, 'EDIT', { eventId: '1' })] })
    expect(answer.results).toMatchObject([
      { eventId: 'i', status: 'duplicate', instanceId: id },
      { eventId: '1', status: 'duplicate', seq: 1 },
    ])
    listener.leave()
  })
})

describe('a client event is refused', () => {
  const cases: readonly (readonly [string, string, (id: string) => unknown])[] = [
    ['that is none at all', 'INVALID_MESSAGE', () => 'nonsense'],
    [
      'of another name',
      'INVALID_MESSAGE',
      (id) => ({ type: 'CUSTOM', name: 'intentflow.render', value: { instanceId: id } }),
    ],
    [
      'that names no event',
      'INVALID_PAYLOAD',
      (id) => ({ type: 'CUSTOM', name: 'intentflow.event', value: { instanceId: id } }),
    ],
    ['of an instance that is not there', 'INSTANCE_NOT_FOUND', () => clientEvent('flow_none', 'EDIT')],
    ['of an instance that is called like a method', 'INSTANCE_NOT_FOUND', () => clientEvent('toString', 'EDIT')],
    ['that the flow does not know', 'INVALID_TRANSITION', (id) => clientEvent(id, 'STEAL')],
    ['that is called like a method', 'INVALID_TRANSITION', (id) => clientEvent(id, 'toString')],
    [
      'that only the server may send',
      'INVALID_TRANSITION',
      (id) => clientEvent(id, 'SUCCESS', { payload: { orderId: 'free' } }),
    ],
    [
      'with a payload that does not fit',
      'INVALID_PAYLOAD',
      (id) => clientEvent(id, 'CONFIRM', { payload: { tip: -1 } }),
    ],
    [
      'with a key that is a trap',
      'INVALID_PAYLOAD',
      (id) => clientEvent(id, 'EDIT', { payload: JSON.parse('{"__proto__":1}') as object }),
    ],
    ['with another seq than it has', 'STATE_CONFLICT', (id) => clientEvent(id, 'EDIT', { expectedSeq: 3 })],
  ]

  test.each(cases)('%s: %s', async (_, code, make) => {
    const given = await shop()
    const id = await ordered(given)
    const before = (await eventsOf(given.there, given.session)).length
    const { answer, parts } = await say(given, { events: [make(id)] })
    expect(answer.results).toMatchObject([{ status: 'rejected', code, error: { code, v: 1 } }])
    expect(parts).toMatchObject([{ metadata: { partType: 'intentflow.error' }, data: { code } }])
    expect(await eventsOf(given.there, given.session)).toHaveLength(before)
  })

  test('in a state that does not take it, while others of the same message are done', async () => {
    const given = await shop()
    const id = await ordered(given)
    const events = [
      clientEvent(id, 'CONFIRM', { eventId: 'a' }),
      clientEvent(id, 'EDIT', { eventId: 'b' }),
      clientEvent(id, 'PICK', { eventId: 'c' }),
    ]
    const { answer } = await say(given, { events })
    expect(answer.results).toMatchObject([
      { eventId: 'a', status: 'applied' },
      { eventId: 'b', status: 'rejected', code: 'INVALID_TRANSITION', error: { inReplyTo: 'b', instanceId: id } },
      { eventId: 'c', status: 'rejected' },
    ])
    expect(answer.results[1]).not.toHaveProperty('error.seq')
  })

  test('an event in a session of another user is refused', async () => {
    const given = await shop()
    const id = await ordered(given)
    await expect(say(given, { events: [clientEvent(id, 'EDIT')] }, bob)).rejects.toThrow('no such session')
    const other = await given.sessions.open({ principal: bob })
    const { answer } = await say({ ...given, session: other }, { events: [clientEvent(id, 'EDIT')] }, bob)
    expect(answer.results).toMatchObject([{ code: 'INSTANCE_NOT_FOUND' }])
  })

  test('as a whole, when what is said is no message', async () => {
    const given = await shop()
    await expect(say(given, { events: 'x' })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(say(given, { events: Array.from({ length: 51 }, () => clientEvent('x', 'EDIT')) })).rejects.toThrow(
      'events',
    )
    await expect(say(given, { client: { flows: { 'order.place': 'new' } } })).rejects.toThrow('three numbers')
  })

  test('by JSON that looks like an input of the program itself', async () => {
    const given = await shop()
    const id = await ordered(given)
    const forged = { request: { kind: 'send', instanceId: id, event: 'SUCCESS', payload: { orderId: 'free' } } }
    const { answer } = await say(given, forged)
    expect(answer).toEqual({ results: [] })
    expect(await flowOf(given, id)).toMatchObject({ state: 'review', seq: 0 })
  })
})

describe('permissions', () => {
  test('are asked for with every event, and may be taken away in between', async () => {
    let roles = ['member']
    const given = await shop({ rolesOf: () => roles })
    const { instanceId } = await given.flows.invoke(given.session, { intentId: 'account.update_payment' }, alice)
    expect((await say(given, { events: [clientEvent(instanceId, 'TOUCH')] })).answer.results).toMatchObject([
      { status: 'applied' },
    ])
    roles = []
    const { answer } = await say(given, { events: [clientEvent(instanceId, 'SAVE'), dismissal(instanceId)] })
    expect(answer.results).toMatchObject([{ code: 'PERMISSION_DENIED' }, { code: 'PERMISSION_DENIED' }])
    expect(answer.results[0]).not.toHaveProperty('error.details')
    await expect(
      given.flows.invoke(given.session, { intentId: 'account.update_payment' }, alice),
    ).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    })
  })

  test('of users who have not signed in', async () => {
    const guest: Principal = { kind: 'anonymous', id: 'anon_1', tenant: 'acme' }
    const given = await shop({ by: guest, rolesOf: () => ['member'] })
    const { answer } = await say(given, { invoke: { eventId: 'i', intentId: 'account.update_payment' } }, guest)
    expect(answer.results).toMatchObject([{ eventId: 'i', code: 'AUTH_REQUIRED' }])
  })
})

describe('dismissal', () => {
  test('by the user ends the instance', async () => {
    const given = await shop()
    const listener = follow(given.sessions, given.session)
    const id = await ordered(given)
    await say(given, { events: [dismissal(id, { eventId: 'd' })] })
    await eventually(() => serverEvents(listener.frames).length === 2)
    expect(serverEvents(listener.frames)[1]).toMatchObject({
      name: 'intentflow.dismiss',
      value: { reason: 'cancelled', seq: 1, inReplyTo: 'd' },
    })
    expect(await given.flows.active(given.session)).toEqual({})
    listener.leave()
  })

  test('is refused by a flow that must be completed', async () => {
    const given = await shop({ rolesOf: () => ['member'] })
    const { instanceId } = await given.flows.invoke(given.session, { intentId: 'account.update_payment' }, alice)
    const { answer } = await say(given, { events: [dismissal(instanceId)] })
    expect(answer.results).toMatchObject([{ code: 'DISMISS_REJECTED' }])
  })

  test('comes by itself with the final state, and brings the context', async () => {
    const given = await shop({ rolesOf: () => ['member'] })
    const listener = follow(given.sessions, given.session)
    const { instanceId } = await given.flows.invoke(
      given.session,
      { intentId: 'menu.pick', entities: { options: [] } },
      alice,
    )
    await say(given, { events: [clientEvent(instanceId, 'CHOOSE', { eventId: 'c', payload: { choice: 'Tea' } })] })
    await eventually(() => serverEvents(listener.frames).length === 3)
    expect(serverEvents(listener.frames).slice(1)).toMatchObject([
      { name: 'intentflow.transition', value: { toState: 'picked', seq: 1 } },
      { name: 'intentflow.dismiss', value: { reason: 'completed', seq: 2, result: { choice: 'Tea' } } },
    ])
    const commits = await eventsOf(given.there, given.session)
    expect(commits.filter((one) => one.type === 'sliceEvent')).toHaveLength(3)
    listener.leave()
  })

  test('does not come where the final state is kept', async () => {
    const given = await shop()
    const { instanceId } = await given.flows.invoke(
      given.session,
      { intentId: 'order.track', entities: { orderId: 'o' } },
      alice,
    )
    await given.flows.send(given.session, instanceId, 'READY')
    expect(await flowOf(given, instanceId)).toMatchObject({ state: 'ready' })
  })
})

describe('props', () => {
  test('are updated by operations, which are normalised, and by patches', async () => {
    const given = await shop()
    const listener = follow(given.sessions, given.session)
    const id = await ordered(given)
    await given.flows.update(given.session, id, { operations: [{ op: 'set', path: '/items/0/quantity', value: 2 }] })
    await given.flows.update(given.session, id, { patch: { note: 'to go' } })
    await eventually(() => serverEvents(listener.frames).length === 3)
    expect(serverEvents(listener.frames)[1]?.value).toMatchObject({
      operations: [{ op: 'set', path: 'items[0].quantity', value: 2 }],
    })
    expect(await flowOf(given, id)).toMatchObject({ props: { items: [{ quantity: 2 }], note: 'to go' }, seq: 2 })
    expect(mirrored(listener.frames)).toEqual(await given.flows.active(given.session))
    listener.leave()
  })

  test('that would not fit the schema are not sent', async () => {
    const given = await shop()
    const id = await ordered(given)
    const before = (await eventsOf(given.there, given.session)).length
    await expect(
      given.flows.update(given.session, id, { operations: [{ op: 'set', path: 'items[0].quantity', value: -1 }] }),
    ).rejects.toMatchObject({ code: 'INVALID_PROPS' })
    await expect(
      given.flows.update(given.session, id, { operations: [{ op: 'delete', path: 'items[7]' }] }),
    ).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
    await expect(given.flows.update(given.session, id, { patch: { note: 'x'.repeat(70_000) } })).rejects.toThrow(
      'at most 65536',
    )
    expect(await eventsOf(given.there, given.session)).toHaveLength(before)
  })
})

describe('an invocation by a client', () => {
  test('is hydrated in parallel to turns and shown then', async () => {
    const given = await shop()
    const listener = follow(given.sessions, given.session)
    const { answer, awaits } = await say(given, {
      invoke: { eventId: 'i1', intentId: 'order.place', entities: { quantity: 3 } },
    })
    expect(answer.results).toEqual([{ eventId: 'i1', status: 'pending' }])
    expect(awaits).toEqual(['i1'])
    await listener.until((frame) => frame.kind === 'part' && frame.answers?.includes('i1') === true)
    expect(serverEvents(listener.frames)).toMatchObject([
      {
        name: 'intentflow.render',
        value: { inReplyTo: 'i1', props: { items: [{ name: 'Cappuccino', quantity: 3 }] } },
      },
    ])
    const [instanceId] = Object.keys(await given.flows.active(given.session))
    const again = await say(given, { invoke: { eventId: 'i1', intentId: 'order.place' } })
    expect(again.answer.results).toEqual([{ eventId: 'i1', status: 'duplicate', seq: 0, instanceId }])
    expect(again.awaits).toBeUndefined()
    listener.leave()
  })

  test('that fails says so, with the code of the application', async () => {
    const given = await shop({
      hydrate: () => {
        throw new FlowError('HYDRATION_FAILED', 'You have no usual order yet.', { details: { appCode: 'NO_USUAL' } })
      },
    })
    const listener = follow(given.sessions, given.session)
    await say(given, { invoke: { eventId: 'i1', intentId: 'order.place' } })
    await listener.until((frame) => frame.kind === 'part' && frame.answers?.includes('i1') === true)
    expect(serverEvents(listener.frames)).toMatchObject([
      {
        name: 'intentflow.error',
        value: { code: 'HYDRATION_FAILED', details: { appCode: 'NO_USUAL' }, inReplyTo: 'i1' },
      },
    ])
    const again = await say(given, { invoke: { eventId: 'i1', intentId: 'order.place' } })
    expect(again.answer.results).toMatchObject([{ status: 'duplicate', code: 'HYDRATION_FAILED' }])
    listener.leave()
  })

  test('with props that do not fit the schema shows nothing', async () => {
    const given = await shop({ hydrate: () => ({ items: [{ name: 'Tea', quantity: 0 }] }) })
    const listener = follow(given.sessions, given.session)
    await say(given, { invoke: { eventId: 'i1', intentId: 'order.place' } })
    await listener.until((frame) => frame.kind === 'part')
    expect(serverEvents(listener.frames)).toMatchObject([
      { name: 'intentflow.error', value: { code: 'INVALID_PROPS' } },
    ])
    expect(await given.flows.active(given.session)).toEqual({})
    listener.leave()
  })

  test.each([
    ['of no flow', { eventId: 'i', intentId: 'order.steal' }, 'FLOW_NOT_FOUND'],
    [
      'with entities that do not fit',
      { eventId: 'i', intentId: 'order.place', entities: { quantity: 0 } },
      'INVALID_PAYLOAD',
    ],
  ])('%s is refused', async (_, invoke, code) => {
    const given = await shop()
    expect((await say(given, { invoke })).answer.results).toMatchObject([{ eventId: 'i', status: 'rejected', code }])
  })

  test('that takes too long is given up', async () => {
    const given = await shop({ hydrate: () => new Promise(() => {}) })
    const listener = follow(given.sessions, given.session)
    await say(given, { invoke: { eventId: 'i1', intentId: 'order.place' } })
    await eventually(() => given.there.runtime.clock.next() !== undefined)
    await given.there.runtime.clock.advance(31_000)
    await listener.until((frame) => frame.kind === 'part')
    expect(serverEvents(listener.frames)).toMatchObject([{ value: { code: 'TIMEOUT' } }])
    listener.leave()
  })
})

describe('limits', () => {
  test('of open flows', async () => {
    const given = await shop({ limits: { activeFlows: 2 } })
    await ordered(given)
    await ordered(given)
    await expect(ordered(given)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const { answer } = await say(given, { invoke: { eventId: 'i', intentId: 'menu.pick', entities: { options: [] } } })
    expect(answer.results).toMatchObject([{ code: 'RATE_LIMITED', error: { retryAfter: 60 } }])
  })

  test('of results that are remembered of an instance', async () => {
    const given = await shop()
    const id = await ordered(given)
    for (let batch = 0; batch < 5; batch++) {
      const events = Array.from({ length: 50 }, (_, index) =>
        clientEvent(id, 'EDIT', { eventId: `e${batch * 50 + index}` }),
      )
      await say(given, { events })
    }
    const { answer } = await say(given, {
      events: [clientEvent(id, 'EDIT', { eventId: 'e249' }), clientEvent(id, 'EDIT', { eventId: 'e51' })],
    })
    expect(answer.results.map(({ status }) => status)).toEqual(['duplicate', 'duplicate'])
    const old = await say(given, { events: [clientEvent(id, 'EDIT', { eventId: 'e0' })] })
    expect(old.answer.results.map(({ status }) => status)).toEqual(['applied'])
  })
})

describe('what a client knows', () => {
  test('is completed when it differs, and only then', async () => {
    const given = await shop()
    const id = await ordered(given)
    const active = await given.flows.active(given.session)
    expect((await say(given, { known: [{ instanceId: id, seq: 0 }] })).answer).toEqual({ results: [] })
    expect((await say(given, { known: [] })).answer.activeFlows).toEqual(active)
    expect((await say(given, { known: [{ instanceId: id, seq: 1 }] })).answer.activeFlows).toEqual(active)
    expect((await say(given, { ack: { [id]: 0 } })).answer).toEqual({ results: [] })
    expect((await say(given, { ack: { gone: 4 } })).answer.activeFlows).toEqual(active)
    expect((await say(given, { subscribe: true })).stays).toBe(true)
  })

  test('of one instance can be asked for, also when it is over', async () => {
    const given = await shop()
    const id = await ordered(given)
    expect((await say(given, { look: { instanceId: id } })).answer.instance).toMatchObject({ state: 'review', seq: 0 })
    await say(given, { events: [dismissal(id)] })
    expect((await say(given, { look: { instanceId: id } })).answer.ended).toMatchObject({ reason: 'cancelled' })
    expect((await say(given, { look: { instanceId: 'other' } })).answer).toEqual({ results: [] })
  })
})

describe('nested flows', () => {
  const children = async (given: Shop, parent: string) => {
    const flows = await given.flows.active(given.session)
    return Object.keys(flows).filter((id) => flows[id]?.parentInstanceId === parent)
  }

  async function picking(): Promise<{ given: Shop; parent: string; child: string }> {
    const given = await shop()
    const parent = await ordered(given)
    await say(given, { events: [clientEvent(parent, 'PICK', { eventId: 'p' })] })
    await eventually(async () => (await children(given, parent)).length === 1)
    const [child = ''] = await children(given, parent)
    return { given, parent, child }
  }

  test('give their result to their parent', async () => {
    const { given, parent, child } = await picking()
    await say(given, { events: [clientEvent(child, 'CHOOSE', { payload: { choice: 'Cookie' } })] })
    expect(await flowOf(given, child)).toBeUndefined()
    expect(await flowOf(given, parent)).toMatchObject({ state: 'review', context: { extra: { choice: 'Cookie' } } })
  })

  test('tell their parent when they are put away', async () => {
    const { given, parent, child } = await picking()
    await say(given, { events: [dismissal(child)] })
    expect(await flowOf(given, parent)).toMatchObject({ state: 'review', context: { problem: 'cancelled' } })
  })

  test('end before their parent', async () => {
    const { given, parent, child } = await picking()
    const listener = follow(given.sessions, given.session)
    await say(given, { events: [dismissal(parent)] })
    await eventually(
      () => serverEvents(listener.frames).filter(({ name }) => name === 'intentflow.dismiss').length === 2,
    )
    expect(serverEvents(listener.frames).slice(-2)).toMatchObject([
      { name: 'intentflow.dismiss', value: { instanceId: child, reason: 'cancelled' } },
      { name: 'intentflow.dismiss', value: { instanceId: parent, reason: 'cancelled' } },
    ])
    expect(await given.flows.active(given.session)).toEqual({})
    listener.leave()
  })
})

describe('actions', () => {
  async function scanning() {
    const given = await shop()
    const id = await ordered(given)
    const listener = follow(given.sessions, given.session)
    await say(given, { events: [clientEvent(id, 'SCAN', { eventId: 's' })] })
    await listener.until((frame) => frame.kind === 'part' && frame.answers?.includes('s') === true)
    const asked = serverEvents(listener.frames).find(({ name }) => name === 'intentflow.action')
    listener.leave()
    const { actionId } = (asked?.value ?? {}) as { actionId: string }
    return { given, id, actionId, asked }
  }

  const response = (actionId: string, more: object = { success: true, result: { code: 'V1' } }) => ({
    type: 'CUSTOM',
    name: 'intentflow.action_response',
    value: { actionId, ...more },
  })

  test('are asked for as questions of the session, and answered once', async () => {
    const { given, id, actionId, asked } = await scanning()
    expect(asked?.value).toMatchObject({
      action: 'camera_capture',
      responseRequired: true,
      timeoutMs: 30_000,
      instanceId: id,
    })
    const asks = await given.sessions.inputRequests(given.session, alice)
    expect(asks).toMatchObject([
      { ns: 'intentflow', id: actionId, reason: 'intentflow:action', message: 'Scan your voucher' },
    ])
    expect(asks[0]?.responseSchema).toMatchObject({ required: ['success'] })
    const { answer } = await say(given, { events: [response(actionId), response(actionId)] })
    expect(answer.results).toMatchObject([{ status: 'applied' }, { status: 'duplicate' }])
    expect(await flowOf(given, id)).toMatchObject({
      state: 'review',
      context: { photo: { code: 'V1' }, problem: 'none' },
    })
    expect(await given.sessions.inputRequests(given.session, alice)).toEqual([])
  })

  test('are answered the same way by what resumes an interrupt', async () => {
    const { given, id, actionId } = await scanning()
    const resume = [{ interruptId: actionId, status: 'cancelled' }]
    expect((await say(given, { resume })).answer.results).toMatchObject([{ status: 'applied' }])
    expect((await say(given, { events: [response(actionId)] })).answer.results).toMatchObject([{ status: 'duplicate' }])
    expect(await flowOf(given, id)).toMatchObject({ context: { problem: 'CANCELLED' } })
  })

  test('without an answer in time have failed; a late answer is refused', async () => {
    const { given, id, actionId } = await scanning()
    await given.there.runtime.clock.advance(30_001)
    await eventually(async () => (await flowOf(given, id))?.state === 'review')
    expect(await flowOf(given, id)).toMatchObject({ context: { problem: 'TIMEOUT' } })
    expect((await say(given, { events: [response(actionId)] })).answer.results).toMatchObject([
      { code: 'INVALID_TRANSITION' },
    ])
  })

  test('of unknown ids are refused, and so are those that could be misused', async () => {
    const given = await shop()
    expect((await say(given, { events: [response('action_007')] })).answer.results).toMatchObject([
      { code: 'INVALID_TRANSITION' },
    ])
    await expect(
      given.flows.action(given.session, { action: 'open_url', config: { url: 'javascript:alert(1)' } }),
    ).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
    const { actionId } = await given.flows.action(given.session, {
      action: 'open_url',
      config: { url: 'https://a.example/' },
    })
    expect(actionId).toMatch(/^action_/)
    expect(await given.sessions.inputRequests(given.session, alice)).toEqual([])
  })
})

describe('expiry', () => {
  test('ends an instance at its time, though nothing else happens', async () => {
    const given = await shop()
    const listener = follow(given.sessions, given.session)
    const { instanceId, expiresAt } = await given.flows.invoke(
      given.session,
      { intentId: 'order.track', entities: { orderId: 'o1' } },
      alice,
    )
    expect(expiresAt).toBe(given.there.runtime.clock.now() + 60_000)
    await eventually(() => given.there.runtime.clock.next() !== undefined)
    await given.there.runtime.clock.advance(60_001)
    await listener.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'intentflow.dismiss')
    expect(serverEvents(listener.frames).at(-1)?.value).toMatchObject({ instanceId, reason: 'timeout', seq: 1 })
    const { answer } = await say(given, { events: [dismissal(instanceId)] })
    expect(answer.results).toMatchObject([{ code: 'INSTANCE_EXPIRED' }])
    listener.leave()
  })
})

describe('a handler', () => {
  const placed = async (confirm: NonNullable<Parameters<typeof shop>[0]>['confirm']) => {
    const given = await shop({ ...(confirm && { confirm }) })
    const listener = follow(given.sessions, given.session)
    const id = await ordered(given)
    return { given, listener, id }
  }
  const done = (eventId: string) => (frame: { kind: string; answers?: readonly string[] }) =>
    frame.kind === 'part' && frame.answers?.includes(eventId) === true

  test('runs once for its event, and its outcome answers the event', async () => {
    const hand = handRun()
    const { given, listener, id } = await placed(hand.run)
    const said = { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1', payload: { tip: 1 } })] }
    const { answer, awaits } = await say(given, said)
    expect(answer.results).toMatchObject([{ status: 'applied', seq: 1 }])
    expect(awaits).toEqual(['c1'])
    const run = await hand.started()
    expect(run).toMatchObject({
      idempotencyKey: expect.stringMatching(/^key_\w{26}$/),
      payload: { tip: 1 },
      state: 'processing',
      context: { tip: 1 },
      principal: alice,
      session: given.session,
    })
    const again = await say(given, said)
    expect(again.answer.results).toMatchObject([{ status: 'duplicate' }])
    expect(again.awaits).toEqual(['c1'])
    run.finish({ event: 'SUCCESS', payload: { orderId: 'o7' }, propsUpdate: { patch: { note: 'thanks' } } })
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).slice(2)).toMatchObject([
      { name: 'intentflow.props_update', value: { seq: 2, inReplyTo: 'c1' } },
      {
        name: 'intentflow.transition',
        value: { toState: 'confirmed', seq: 3, followUp: { intentId: 'order.track', props: { orderId: 'o7' } } },
      },
      { name: 'intentflow.dismiss', value: { reason: 'completed', seq: 4, result: { orderId: 'o7', tip: 1 } } },
    ])
    expect(hand.runs).toHaveLength(1)
    expect(mirrored(listener.frames)).toEqual({})
    listener.leave()
  })

  test('that fails says why, and the machine gets the event for it', async () => {
    const { given, listener, id } = await placed(() => {
      throw new FlowError('MUTATION_FAILED', 'Your card was declined.', { details: { appCode: 'DECLINED' } })
    })
    await say(given, { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1' })] })
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).slice(2)).toMatchObject([
      {
        name: 'intentflow.error',
        value: {
          code: 'MUTATION_FAILED',
          message: 'Your card was declined.',
          details: { appCode: 'DECLINED' },
          instanceId: id,
          inReplyTo: 'c1',
          recoverable: true,
          recovery: [{ action: 'retry' }],
          seq: 2,
        },
      },
      { name: 'intentflow.transition', value: { toState: 'review', seq: 3, context: { problem: 'MUTATION_FAILED' } } },
    ])
    expect(mirrored(listener.frames)).toEqual(await given.flows.active(given.session))
    listener.leave()
  })

  test('that throws something else says nothing of its insides', async () => {
    const { given, listener, id } = await placed(() => {
      throw new Error('password=hunter2')
    })
    await say(given, { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1' })] })
    await listener.until(done('c1'))
    expect(JSON.stringify(serverEvents(listener.frames))).not.toContain('hunter2')
    listener.leave()
  })

  test('that takes too long is given up', async () => {
    const hand = handRun()
    const { given, listener, id } = await placed({ run: hand.run, timeoutMs: 5_000 })
    await say(given, { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1' })] })
    const run = await hand.started()
    await given.there.runtime.clock.advance(5_001)
    await listener.until(done('c1'))
    expect(run.signal.aborted).toBe(true)
    expect(serverEvents(listener.frames).slice(2)).toMatchObject([
      { name: 'intentflow.error', value: { code: 'TIMEOUT' } },
      { name: 'intentflow.transition', value: { toState: 'review' } },
    ])
    run.finish({ event: 'SUCCESS', payload: { orderId: 'late' } })
    await given.there.runtime.clock.advance(1)
    expect(await flowOf(given, id)).toMatchObject({ state: 'review' })
    listener.leave()
  })

  test('that has nothing to say is answered nevertheless', async () => {
    const { given, listener, id } = await placed(() => undefined)
    await say(given, { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1' })] })
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).at(-1)).toMatchObject({
      value: { toState: 'processing', seq: 2, inReplyTo: 'c1' },
    })
    listener.leave()
  })

  test('of an instance that is put away meanwhile is aborted, and its event answered', async () => {
    const hand = handRun()
    const given = await shop({ edit: hand.run })
    const listener = follow(given.sessions, given.session)
    const id = await ordered(given)
    await say(given, { events: [clientEvent(id, 'EDIT', { eventId: 'e1' })] })
    const run = await hand.started()
    await say(given, { events: [dismissal(id)] })
    await listener.until(done('e1'))
    await eventually(() => run.signal.aborted)
    run.finish({ contextUpdate: { extra: 'late' } })
    await given.there.runtime.clock.advance(10)
    expect(await given.flows.active(given.session)).toEqual({})
    listener.leave()
  })

  test('of what was confirmed is carried out: its instance cannot be put away meanwhile', async () => {
    const hand = handRun()
    const { given, listener, id } = await placed(hand.run)
    await say(given, { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1' })] })
    const run = await hand.started()
    const { answer } = await say(given, { events: [dismissal(id)] })
    expect(answer.results).toMatchObject([{ status: 'rejected', code: 'DISMISS_REJECTED' }])
    expect(run.signal.aborted).toBe(false)
    run.finish({ event: 'SUCCESS', payload: { orderId: 'o1' } })
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).at(-1)?.value).toMatchObject({
      reason: 'completed',
      result: { orderId: 'o1' },
    })
    listener.leave()
  })

  test('gets a key that is no other handler’s, whatever ids clients give their events', async () => {
    const hand = handRun()
    const given = await shop({ edit: hand.run })
    const ids = [await ordered(given), await ordered(given)]
    await say(given, { events: ids.map((id) => clientEvent(id, 'EDIT', { eventId: '1' })) })
    await hand.started(2)
    const [first, second] = hand.runs.map(({ idempotencyKey }) => idempotencyKey)
    expect(first).not.toBe(second)
    for (const run of hand.runs) run.finish()
  })

  test('waits for those of earlier events of its instance', async () => {
    const hand = handRun()
    const given = await shop({ edit: hand.run })
    const [id, other] = [await ordered(given), await ordered(given)]
    const listener = follow(given.sessions, given.session)
    const events = [
      clientEvent(id, 'EDIT', { eventId: 'e1' }),
      clientEvent(id, 'EDIT', { eventId: 'e2' }),
      clientEvent(other, 'EDIT', { eventId: 'e3' }),
    ]
    expect((await say(given, { events })).awaits).toEqual(['e1', 'e2', 'e3'])
    await hand.started(2)
    await given.there.runtime.clock.advance(10)
    expect(hand.runs.map(({ instanceId }) => instanceId)).toEqual([id, other])
    hand.runs[0]?.finish({ contextUpdate: { extra: 1 } })
    await listener.until(done('e1'))
    const next = await hand.started(3)
    expect(next).toMatchObject({ instanceId: id, context: { extra: 1 } })
    expect(new Set(hand.runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
    listener.leave()
  })

  test('whose outcome does not fit changes nothing but tells of it', async () => {
    const { given, listener, id } = await placed(() => ({
      event: 'SUCCESS' as const,
      payload: { orderId: 'x' },
      propsUpdate: { patch: { items: 'none' } },
    }))
    await say(given, { events: [clientEvent(id, 'CONFIRM', { eventId: 'c1' })] })
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).slice(2)).toMatchObject([
      { name: 'intentflow.error', value: { code: 'INVALID_PROPS' } },
      { name: 'intentflow.transition', value: { toState: 'review' } },
    ])
    listener.leave()
  })
})
