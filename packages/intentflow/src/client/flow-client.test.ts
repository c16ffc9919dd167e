import { SimulatedClock } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFlowClient } from './create-flow-client.ts'
import { flushMicrotasks, FakeServer } from './fake-server.test-helper.ts'
import { AgentError, unreachable } from '@cool-ai/beach-client/reliability'
import { FlowClientError } from './flow-client-error.ts'
import type { FlowClient, FlowClientOptions } from './flow-client.ts'
import type { OptimisticTables } from './snapshots.ts'
import type { FlowTransport, FollowEvents } from './transport.ts'

const optimistic: OptimisticTables = {
  'order.place': {
    review: {
      CONFIRM: {
        to: 'confirming',
        context: (_context, { tip }) => ({ by: 'CONFIRM', ...(tip !== undefined && { tip }) }),
      },
      EDIT: { to: 'editing', context: { by: 'EDIT' } },
      FOLD: { to: 'folded', local: true },
    },
    editing: { SAVE: { to: 'review', context: { by: 'SAVE' } } },
  },
}

async function connected(server: FakeServer, options: Partial<FlowClientOptions> = {}): Promise<FlowClient> {
  const client = createFlowClient({ transport: server.transport, optimistic, random: () => 0.5, ...options })
  onTestFinished(() => client.close())
  await flushMicrotasks()
  return client
}

const only = (client: FlowClient) => {
  const [flow, ...others] = client.getSnapshot().flows
  if (flow === undefined || others.length > 0) throw new Error('There is not exactly one flow.')
  return flow
}

describe('the server’s state', () => {
  test('is shown from the beginning, and as it changes', async () => {
    const server = new FakeServer()
    const first = server.render()
    const client = await connected(server)
    expect(client.getSnapshot()).toMatchObject({ connection: { state: 'open' }, flows: [{ instanceId: first }] })
    const second = server.render('order.track', { displayMode: 'sheet', priority: 'high' })
    server.write('intentflow.props_update', {
      instanceId: first,
      operations: [{ op: 'set', path: 'items[0].quantity', value: 2 }],
    })
    server.transition(first, 'editing')
    await flushMicrotasks()
    const { flows } = client.getSnapshot()
    expect(flows.map(({ instanceId }) => instanceId)).toEqual([first, second])
    expect(flows[0]).toMatchObject({ state: 'editing', props: { items: [{ quantity: 2 }] } })
    server.write('intentflow.dismiss', { instanceId: first, reason: 'completed' })
    expect(only(client).instanceId).toBe(second)
  })

  test('is one snapshot until something changes, and what did not change stays the same object', async () => {
    const server = new FakeServer()
    server.render()
    const second = server.render()
    const client = await connected(server)
    const before = client.getSnapshot()
    expect(client.getSnapshot()).toBe(before)
    let reported = 0
    client.subscribe(() => reported++)
    server.transition(second, 'editing')
    server.transition(second, 'review')
    await flushMicrotasks()
    expect(reported).toBe(1)
    const after = client.getSnapshot()
    expect(after).not.toBe(before)
    expect(after.flows[0]).toBe(before.flows[0])
    expect(after.flows[1]).not.toBe(before.flows[1])
  })

  test('is asked for when an event is missing', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    server.courier = () => {}
    server.transition(instanceId, 'editing', { lost: true })
    server.courier = undefined
    server.transition(instanceId, 'review', { came: true })
    expect(only(client).state).toBe('review')
    await flushMicrotasks()
    expect(only(client)).toMatchObject({ state: 'review', context: { lost: true, came: true }, seq: 2 })
    expect(server.received).toEqual([{ v: 1, known: [{ instanceId, seq: 0 }] }])
  })

  test('is asked for when only the shared state tells that an event got lost', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    server.courier = () => {}
    server.transition(instanceId, 'editing')
    client.receive({
      type: 'STATE_DELTA',
      delta: [{ op: 'replace', path: `/activeFlows/${instanceId}/seq`, value: 1 }],
    })
    await flushMicrotasks()
    expect(only(client).state).toBe('editing')
  })

  test('is not asked for when everything has come', async () => {
    const server = new FakeServer()
    const client = await connected(server)
    const instanceId = server.render()
    server.transition(instanceId, 'editing')
    await flushMicrotasks()
    expect(server.received).toEqual([])
    expect(only(client).state).toBe('editing')
  })

  test.each([0, 1])(
    'has nothing in it that was over when the server was asked; %i others have begun',
    async (others) => {
      const server = new FakeServer()
      const client = await connected(server)
      server.courier = () => {}
      const instanceId = server.render()
      const [render] = server.written
      server.write('intentflow.dismiss', { instanceId, reason: 'completed' })
      const gate = Promise.withResolvers<void>()
      server.gate = gate.promise
      const asked = client.resync()
      await flushMicrotasks()
      client.receive(structuredClone(render ?? { type: '' }))
      expect(only(client).instanceId).toBe(instanceId)
      for (let count = 0; count < others; count++) server.render()
      gate.resolve()
      await asked
      expect(client.getSnapshot().flows.map((flow) => flow.instanceId)).toEqual(Object.keys(server.flows))
    },
  )

  test('is what a snapshot of a plain server says, which knows no seq', async () => {
    const client = await connected(new FakeServer())
    const flow = { intentId: 'order.place', state: 'review', props: { a: 1 } }
    client.receive({ type: 'STATE_SNAPSHOT', snapshot: { activeFlows: { flow_abc123: flow } } })
    expect(only(client)).toMatchObject({ ...flow, displayMode: 'inline', dismissable: true })
    client.receive({
      type: 'CUSTOM',
      name: 'intentflow.transition',
      value: { instanceId: 'flow_abc123', toState: 'confirmed', context: { orderId: 'order_789' } },
    })
    expect(only(client)).toMatchObject({ state: 'confirmed', context: { orderId: 'order_789' } })
  })

  test('comes back after a broken connection, with what has changed meanwhile', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const kept = server.render()
    const ended = server.render()
    const client = await connected(server, { clock })
    server.refusal = () => unreachable('There is no network.')
    server.disconnect()
    await flushMicrotasks()
    expect(client.getSnapshot().connection).toMatchObject({ state: 'waiting', error: { code: 'UNREACHABLE' } })
    server.write('intentflow.dismiss', { instanceId: ended, reason: 'timeout' })
    server.transition(kept, 'editing')
    server.refusal = undefined
    await clock.advance(250)
    expect(client.getSnapshot().connection).toEqual({ state: 'open' })
    expect(only(client)).toMatchObject({ instanceId: kept, state: 'editing' })
  })

  test('pauses grow while no server answers, and a refusal ends it', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    let tries = 0
    server.refusal = () => {
      tries++
      return unreachable('There is no network.')
    }
    const client = await connected(server, { clock })
    expect(tries).toBe(1)
    for (const pause of [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      const before = tries
      await clock.advance(pause - 1)
      expect(tries).toBe(before)
      await clock.advance(1)
      expect(tries).toBe(before + 1)
    }
    server.refusal = () => new FlowClientError('FORBIDDEN', 'Not you.', { status: 403 })
    await clock.advance(15_000)
    expect(client.getSnapshot().connection).toMatchObject({ state: 'closed', error: { code: 'FORBIDDEN' } })
    expect(clock.next()).toBeUndefined()
  })
})

test('a connection that brings no sign of life any more is made again', async () => {
  const clock = new SimulatedClock()
  const server = new FakeServer()
  const made: FollowEvents[] = []
  const follow: FlowTransport['follow'] = (_said, events, signal) => {
    made.push(events)
    events.opened(10_000)
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  const client = await connected(server, { clock, transport: { send: server.transport.send, follow } })
  await clock.advance(20_000)
  made[0]?.activity?.()
  await clock.advance(20_000)
  // The earlier name, for transports of applications.
  made[0]?.heard?.()
  await clock.advance(20_000)
  made[0]?.event({ type: 'CUSTOM', name: 'other' })
  await clock.advance(24_999)
  expect(client.getSnapshot().connection).toEqual({ state: 'open' })
  await clock.advance(1)
  expect(client.getSnapshot().connection).toMatchObject({ state: 'waiting', error: { code: 'UNREACHABLE' } })
  expect(client.getSnapshot().connection.error).toBeInstanceOf(FlowClientError)
  await clock.advance(250)
  expect(made).toHaveLength(2)
  // The first connection is over, whatever its transport still says.
  made[0]?.event({ type: 'STATE_SNAPSHOT', snapshot: { activeFlows: { late: { intentId: 'a.b', state: 's' } } } })
  expect(client.getSnapshot().flows).toEqual([])
})

test('pauses begin small again only after a connection that has lasted', async () => {
  const clock = new SimulatedClock()
  const server = new FakeServer()
  const client = await connected(server, { clock })
  const isOpen = () => client.getSnapshot().connection.state === 'open'
  for (const pause of [250, 500, 1_000]) {
    server.disconnect()
    await clock.advance(pause - 1)
    expect(isOpen()).toBe(false)
    await clock.advance(1)
    expect(isOpen()).toBe(true)
  }
  await clock.advance(5_000)
  server.disconnect()
  await clock.advance(250)
  expect(isOpen()).toBe(true)
})

describe('what is done', () => {
  test('shows at once, and stays the same when the server confirms it', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    const states: string[] = []
    client.subscribe(() => states.push(`${only(client).state}${only(client).pending ? ' pending' : ''}`))
    const done = client.dispatch(instanceId, { event: 'CONFIRM', payload: { tip: 1 } })
    expect(only(client)).toMatchObject({
      state: 'confirming',
      context: { by: 'CONFIRM', tip: 1 },
      pending: true,
      seq: 0,
    })
    await expect(done).resolves.toMatchObject({ status: 'applied', seq: 1 })
    await flushMicrotasks()
    expect(only(client)).toMatchObject({ state: 'confirming', context: { by: 'CONFIRM' }, pending: false, seq: 1 })
    expect(new Set(states)).toEqual(new Set(['confirming pending', 'confirming']))
  })

  test('is taken back exactly when the server rejects it', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    server.courier = () => {}
    // Unknown here: the flow has gone on.
    server.transition(instanceId, 'confirming')
    server.courier = undefined
    const before = only(client)
    const done = client.dispatch(instanceId, { event: 'EDIT' })
    expect(only(client).state).toBe('editing')
    await expect(done).rejects.toMatchObject({
      code: 'INVALID_TRANSITION',
      message: 'Rejected with INVALID_TRANSITION.',
    })
    const { error, ...after } = only(client)
    expect(after).toEqual(before)
    expect(error).toMatchObject({ code: 'INVALID_TRANSITION', instanceId })
  })

  test('is taken back when the error comes as an event, before any answer', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server, { clock })
    let eventId: string | undefined
    server.refusal = ({ events = [] }) => {
      eventId = events[0]?.value.eventId
      return unreachable('There is no network.')
    }
    const before = only(client)
    void client.dispatch(instanceId, { event: 'EDIT', payload: { item: 3 } })
    await flushMicrotasks()
    expect(only(client).state).toBe('editing')
    const about = { instanceId, inReplyTo: eventId }
    server.write('intentflow.error', { ...about, code: 'TIMEOUT', message: 'Late.', recoverable: true })
    const { error, ...after } = only(client)
    expect(after).toEqual(before)
    expect(error).toMatchObject({ code: 'TIMEOUT', ...about })
    client.clearError(instanceId)
    expect(only(client)).toEqual(before)
    await expect(client.retry(instanceId)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  test('can be done again after it failed on the server, under a new id', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    const { eventId } = await client.dispatch(instanceId, { event: 'CONFIRM', payload: { tip: 1 }, expectedSeq: 0 })
    server.transition(instanceId, 'review')
    server.write('intentflow.error', {
      instanceId,
      code: 'MUTATION_FAILED',
      message: 'Payment declined.',
      recoverable: true,
      inReplyTo: eventId,
    })
    expect(only(client)).toMatchObject({ state: 'review', error: { code: 'MUTATION_FAILED' } })
    const again = await client.retry(instanceId)
    expect(again).toMatchObject({ status: 'applied' })
    expect(again.eventId).not.toBe(eventId)
    expect(only(client)).toMatchObject({ state: 'confirming' })
    expect(only(client).error).toBeUndefined()
    expect(server.received.at(-1)?.events?.[0]?.value).toMatchObject({ event: 'CONFIRM', payload: { tip: 1 } })
  })

  test('that failed can be recovered from as the error offers', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    const save = client.dispatch(instanceId, { event: 'SAVE' })
    await expect(save).rejects.toMatchObject({ code: 'INVALID_TRANSITION' })
    server.transition(instanceId, 'editing')
    await expect(client.recover(instanceId, { action: 'retry' })).resolves.toMatchObject({ status: 'applied' })
    await client.dispatch(instanceId, { event: 'NONE' }).catch(() => {})
    expect(only(client).error).toBeDefined()
    await expect(client.recover(instanceId, { action: 'modify' })).resolves.toBeUndefined()
    expect(only(client).error).toBeUndefined()
    await expect(client.recover(instanceId, { action: 'navigate' })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await client.recover(instanceId, { action: 'navigate', intentId: 'account.update_payment' })
    await client.recover(instanceId, { action: 'dismiss' })
    expect(only(client).intentId).toBe('account.update_payment')
  })

  test('is sent once, however often its answer gets lost', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server, { clock })
    server.losesAnswers = true
    const done = client.dispatch(instanceId, { event: 'CONFIRM' })
    await flushMicrotasks()
    await clock.advance(250)
    expect(server.received).toHaveLength(2)
    server.losesAnswers = false
    await clock.advance(500)
    await expect(done).resolves.toMatchObject({ status: 'duplicate', seq: 1 })
    expect(server.written).toHaveLength(2)
    expect(only(client)).toMatchObject({ state: 'confirming', pending: false })
  })

  test('goes one request after the other, and together what was done meanwhile', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    const gate = Promise.withResolvers<void>()
    server.gate = gate.promise
    const all = [client.dispatch(instanceId, { event: 'EDIT' })]
    await flushMicrotasks()
    all.push(client.dispatch(instanceId, { event: 'SAVE' }), client.dispatch(instanceId, { event: 'CONFIRM' }))
    expect(client.getSnapshot().waiting).toBe(3)
    expect(only(client).state).toBe('confirming')
    server.gate = undefined
    gate.resolve()
    await Promise.all(all)
    expect(server.received.map(({ events }) => events?.map(({ value }) => 'event' in value && value.event))).toEqual([
      ['EDIT'],
      ['SAVE', 'CONFIRM'],
    ])
    await flushMicrotasks()
    expect(client.getSnapshot().waiting).toBe(0)
    expect(only(client)).toMatchObject({ state: 'confirming', seq: 3, pending: false })
  })

  test('waits while there is no network; of more than a hundred the oldest is refused, and told so', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server, { clock })
    server.refusal = () => unreachable('There is no network.')
    const first = client.dispatch(instanceId, { event: 'EDIT', payload: { first: true } })
    await flushMicrotasks()
    const others = Array.from({ length: 100 }, (_, n) =>
      client.dispatch(instanceId, { event: n % 2 === 0 ? 'SAVE' : 'EDIT' }).catch((error: unknown) => error),
    )
    await expect(first).rejects.toMatchObject({ code: 'QUEUE_FULL' })
    expect(client.getSnapshot().waiting).toBe(100)
    server.refusal = undefined
    await clock.advance(30_000)
    await Promise.all(others)
    expect(server.received.map(({ events }) => events?.length)).toEqual([50, 50])
    expect(client.getSnapshot().waiting).toBe(0)
  })

  test('is sent alone when a request with others was refused, so that one does not spoil the rest', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    server.refusal = ({ events = [] }) =>
      events.some(({ value }) => 'event' in value && value.event === 'BAD')
        ? new FlowClientError('INVALID_MESSAGE', 'This is none.', { status: 400 })
        : undefined
    const bad = client.dispatch(instanceId, { event: 'BAD' })
    const good = client.dispatch(instanceId, { event: 'EDIT' })
    await expect(bad).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
    await expect(good).resolves.toMatchObject({ status: 'applied' })
  })

  test('fails with an error of this client, whatever class of error the transport has', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    server.refusal = () => new AgentError('FORBIDDEN', 'Not you.', { status: 403 })
    const refused: unknown = await client.dispatch(instanceId, { event: 'EDIT' }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(FlowClientError)
    expect(refused).toMatchObject({ code: 'FORBIDDEN', message: 'Not you.', status: 403, retryable: false })
    client.close()
    await expect(client.resync()).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test('only here holds until the server moves the flow', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    await client.dispatch(instanceId, { event: 'FOLD' })
    expect(only(client)).toMatchObject({ state: 'folded', pending: false })
    server.write('intentflow.props_update', { instanceId, patch: { a: 1 } })
    expect(only(client)).toMatchObject({ state: 'folded', props: { a: 1 } })
    server.transition(instanceId, 'editing')
    expect(only(client).state).toBe('editing')
    server.transition(instanceId, 'review')
    expect(only(client).state).toBe('review')
    expect(server.received).toEqual([])
  })

  test('asks how things stand when the events of what was applied do not come', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server, { clock, optimistic: {} })
    server.courier = () => {}
    await client.dispatch(instanceId, { event: 'EDIT' })
    await flushMicrotasks()
    expect(only(client)).toMatchObject({ state: 'review', pending: true })
    await clock.advance(2_000)
    expect(only(client)).toMatchObject({ state: 'editing', pending: false, seq: 1 })
  })

  test('asks at once when there is no connection over which they could come', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server, { transport: { send: server.transport.send } })
    await client.resync()
    expect(client.getSnapshot().connection).toEqual({ state: 'idle' })
    await client.dispatch(instanceId, { event: 'EDIT' })
    await flushMicrotasks()
    expect(only(client)).toMatchObject({ state: 'editing', pending: false })
  })

  test('a dismissal hides the flow at once, and shows it again when it is rejected', async () => {
    const server = new FakeServer()
    const kept = server.render('order.place', { dismissable: false })
    const other = server.render()
    const client = await connected(server)
    const refused = client.dismiss(kept)
    const granted = client.dismiss(other, 'navigation')
    expect(client.getSnapshot().flows.map(({ dismissing }) => dismissing)).toEqual([true, true])
    await expect(refused).rejects.toMatchObject({ code: 'DISMISS_REJECTED' })
    await granted
    expect(only(client)).toMatchObject({ instanceId: kept, dismissing: false, error: { code: 'DISMISS_REJECTED' } })
  })

  test('a conflict with what this client did not know yet is told, and what there is is fetched', async () => {
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server)
    server.courier = () => {}
    server.transition(instanceId, 'editing')
    const done = client.dispatch(instanceId, { event: 'CONFIRM', expectedSeq: 0 })
    await expect(done).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
    await flushMicrotasks()
    expect(only(client)).toMatchObject({ state: 'editing', seq: 1, error: { code: 'STATE_CONFLICT' } })
  })

  test('invoking a flow brings it', async () => {
    const server = new FakeServer()
    const client = await connected(server, { versions: { 'order.place': '2.0.0' } })
    await client.invoke('order.place', { item: 'tea' })
    expect(only(client).intentId).toBe('order.place')
    expect(server.received[0]).toMatchObject({
      client: { v: 1, flows: { 'order.place': '2.0.0' } },
      events: [{ name: 'intentflow.invoke', value: { intentId: 'order.place', entities: { item: 'tea' } } }],
    })
  })

  test('in a flow that is not there is refused here', async () => {
    const client = await connected(new FakeServer())
    await expect(client.dispatch('flow_x', { event: 'A' })).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' })
    await expect(client.dismiss('flow_x')).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' })
  })

  test('has failed once the client is closed, and nothing goes on', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const instanceId = server.render()
    const client = await connected(server, { clock })
    server.refusal = () => unreachable('There is no network.')
    const waiting = client.dispatch(instanceId, { event: 'EDIT' })
    await flushMicrotasks()
    client.close()
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(client.dispatch(instanceId, { event: 'EDIT' })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(client.getSnapshot().connection).toEqual({ state: 'closed' })
    await flushMicrotasks()
    expect(clock.next()).toBeUndefined()
  })

  test('whatever is done and whatever the server makes of it, in the end both have the same', async () => {
    const doing = fc.oneof(
      fc.record({ kind: fc.constant('dispatch' as const), event: fc.constantFrom('CONFIRM', 'EDIT', 'SAVE', 'NONE') }),
      fc.constant({ kind: 'dismiss' as const }),
      fc.constant({ kind: 'wait' as const }),
      fc.record({ kind: fc.constant('server' as const), to: fc.constantFrom('review', 'editing', 'confirming') }),
      fc.record({ kind: fc.constant('network' as const), loses: fc.boolean(), delivers: fc.boolean() }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(doing, { maxLength: 25 }), async (given) => {
        const clock = new SimulatedClock()
        const server = new FakeServer()
        const instanceId = server.render()
        const client = createFlowClient({ transport: server.transport, optimistic, random: () => 0.5, clock })
        await flushMicrotasks()
        for (const one of given) {
          if (one.kind === 'dispatch') void client.dispatch(instanceId, { event: one.event })
          else if (one.kind === 'dismiss') void client.dismiss(instanceId)
          else if (one.kind === 'wait') await clock.advance(100)
          else if (one.kind === 'server') {
            if (server.flows[instanceId] !== undefined) server.transition(instanceId, one.to, { server: true })
          } else {
            server.losesAnswers = one.loses
            server.courier = one.delivers ? undefined : () => {}
          }
        }
        server.losesAnswers = false
        server.courier = undefined
        // Until everything has got through, however long the pauses have become.
        while (client.getSnapshot().waiting > 0) await clock.advance(30_000)
        await client.resync()
        const flows = client.getSnapshot().flows.map(({ instanceId: id, error: _, ...flow }) => [id, flow])
        const expected = Object.entries(server.flows).map(([id, flow]) => {
          return [id, { ...flow, pending: false, dismissing: false }]
        })
        expect(flows).toEqual(expected)
        client.close()
      }),
      { numRuns: 200 },
    )
  })
})

describe('actions', () => {
  const action = (value: object) => ({
    type: 'CUSTOM',
    name: 'intentflow.action',
    value: { eventId: 'srv_a', actionId: 'action_007', responseRequired: true, config: {}, ...value },
  })
  const responses = (server: FakeServer) =>
    server.received.flatMap(({ events = [] }) =>
      events.flatMap(({ name, value }) => {
        if (name !== 'intentflow.action_response') return []
        const { eventId: _i, sentAt: _s, v: _v, ...rest } = value
        return [rest]
      }),
    )

  test('are done by their handler, once, and answered', async () => {
    const server = new FakeServer()
    let times = 0
    const client = await connected(server, {
      actions: {
        location_request: async () => {
          times++
          return { latitude: 1, longitude: 2 }
        },
      },
    })
    client.receive(action({ action: 'location_request' }))
    client.receive(action({ action: 'location_request' }))
    client.receive(action({ action: 'location_request', eventId: 'srv_b' }))
    await flushMicrotasks()
    expect(times).toBe(1)
    expect(responses(server)).toEqual([
      { actionId: 'action_007', success: true, result: { latitude: 1, longitude: 2 } },
    ])
    expect(client.getSnapshot().actions).toEqual([])
  })

  test('that are long past are not done', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const client = await connected(server, { clock, actions: { share: async () => {} } })
    const at = clock.now() - 700_000
    client.receive(action({ action: 'share', actionId: 'old', eventId: 'a', at }))
    client.receive(action({ action: 'share', actionId: 'lasts', eventId: 'b', at, timeoutMs: 200_000 }))
    await clock.advance(0)
    expect(responses(server).map(({ actionId }) => actionId)).toEqual(['lasts'])
  })

  test('that the page cannot do are answered with UNSUPPORTED, those that fail with why', async () => {
    const server = new FakeServer()
    const denied = new DOMException('The user said no.', 'NotAllowedError')
    const client = await connected(server, { actions: { share: () => Promise.reject(denied) } })
    client.receive(action({ action: 'biometric_auth', actionId: 'one', eventId: 'a' }))
    client.receive(action({ action: 'share', actionId: 'two', eventId: 'b', instanceId: 'flow_1' }))
    client.receive(action({ action: 'share', actionId: 'three', eventId: 'c', responseRequired: false }))
    await flushMicrotasks()
    expect(responses(server)).toEqual([
      {
        actionId: 'one',
        success: false,
        error: { code: 'UNSUPPORTED', message: 'This client cannot do biometric_auth.' },
      },
      {
        actionId: 'two',
        instanceId: 'flow_1',
        success: false,
        error: { code: 'DENIED', message: 'The user said no.' },
      },
    ])
  })

  test('that are manual wait for the application, or until their time is over', async () => {
    const clock = new SimulatedClock()
    const server = new FakeServer()
    const client = await connected(server, { clock, actions: { biometric_auth: 'manual' } })
    client.receive(action({ action: 'biometric_auth', actionId: 'one', eventId: 'a', timeoutMs: 1_000 }))
    client.receive(action({ action: 'biometric_auth', actionId: 'two', eventId: 'b', timeoutMs: 1_000 }))
    expect(client.getSnapshot().actions.map(({ actionId }) => actionId)).toEqual(['one', 'two'])
    client.respond('one', { success: true, result: { authenticated: true } })
    expect(() => client.respond('one', { success: true })).toThrow('There is no action one')
    await clock.advance(1_000)
    expect(responses(server)).toEqual([
      { actionId: 'one', success: true, result: { authenticated: true } },
      { actionId: 'two', success: false, error: { code: 'TIMEOUT', message: 'There was no answer in time.' } },
    ])
    expect(client.getSnapshot().actions).toEqual([])
  })
})
