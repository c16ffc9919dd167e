import type { Principal } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { setup } from 'xstate'
import * as z from 'zod'
import {
  alice,
  eventsOf,
  eventually,
  follow,
  said,
  testContext,
} from '../../../session/src/host/test-context.test-helper.ts'
import { defineFlow } from '../definition/define-flow.ts'
import { FlowRegistry } from '../registry/flow-registry.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import {
  dismissal,
  clientEvent,
  handRun,
  mirrored,
  orderPlace,
  say,
  serverEvents,
  shop,
  shopProcess,
  shopRegistry,
  type Shop,
} from './shop.test-helper.ts'

const root: Principal = { kind: 'operator', id: 'root', tenant: 'acme' }
const done = (eventId: string) => (frame: { kind: string; answers?: readonly string[] }) =>
  frame.kind === 'part' && frame.answers?.includes(eventId) === true

/** Another process, once the lease of the first one has run out. */
async function takeOver(first: Shop, registry = first.registry): Promise<Shop> {
  first.crash()
  await first.there.runtime.clock.advance(10_001)
  return { ...first, registry, ...shopProcess(first.there, registry) }
}

describe('after a restart', () => {
  test('flows are where they were, duplicates are known, and they go on', async () => {
    const first = await shop()
    const { instanceId } = await first.flows.invoke(first.session, { intentId: 'order.place' }, alice)
    const sent = { events: [clientEvent(instanceId, 'EDIT', { eventId: 'e1', payload: { note: 'hot' } })] }
    await say(first, sent)
    const before = await first.flows.active(first.session)
    const second = await takeOver(first)
    expect(await second.flows.active(first.session)).toEqual(before)
    expect((await say(second, sent)).answer.results).toMatchObject([{ status: 'duplicate', seq: 1 }])
    expect((await say(second, { events: [clientEvent(instanceId, 'CONFIRM')] })).answer.results).toMatchObject([
      { seq: 2 },
    ])
  })

  test('a fold of the whole log comes to the same', async () => {
    const given = await shop()
    const { instanceId } = await given.flows.invoke(given.session, { intentId: 'order.place' }, alice)
    await say(given, { events: [clientEvent(instanceId, 'PICK', { eventId: 'p' })] })
    await eventually(async () => Object.keys(await given.flows.active(given.session)).length === 2)
    const before = await given.flows.active(given.session)
    await given.sessions.rebuild(given.session, root)
    expect(await given.flows.active(given.session)).toEqual(before)
  })

  test('an invocation is hydrated again', async () => {
    let runs = 0
    const never = new Promise<never>(() => {})
    const first = await shop({
      hydrate: () => (++runs === 1 ? never : { items: [{ name: 'Tea', quantity: 1 }] }),
    })
    await say(first, { invoke: { eventId: 'i1', intentId: 'order.place' } })
    await eventually(() => runs === 1)
    const second = await takeOver(first)
    const listener = follow(second.sessions, first.session)
    await listener.until(done('i1'))
    expect(runs).toBe(2)
    expect(serverEvents(listener.frames)).toMatchObject([{ name: 'intentflow.render' }])
    listener.leave()
  })

  test('an instance whose time ran out meanwhile is over', async () => {
    const first = await shop()
    const { instanceId } = await first.flows.invoke(
      first.session,
      { intentId: 'order.track', entities: { orderId: 'o' } },
      alice,
    )
    first.crash()
    await first.there.runtime.clock.advance(120_000)
    const second = { ...first, ...shopProcess(first.there, first.registry) }
    const { answer } = await say(second, { events: [dismissal(instanceId)] })
    expect(answer.results).toMatchObject([{ code: 'INSTANCE_EXPIRED' }])
    await eventually(async () => Object.keys(await second.flows.active(first.session)).length === 0)
  })

  test('one that stays in its final state is there, and its time runs out without any input', async () => {
    const first = await shop()
    const tracked = { intentId: 'order.track', entities: { orderId: 'o' } }
    const { instanceId } = await first.flows.invoke(first.session, tracked, alice)
    await first.flows.send(first.session, instanceId, 'READY')
    const second = await takeOver(first)
    expect(await second.flows.active(first.session)).toMatchObject({ [instanceId]: { state: 'ready', seq: 1 } })
    const listener = follow(second.sessions, first.session)
    await first.there.runtime.clock.advance(60_000)
    await listener.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'intentflow.dismiss')
    expect(serverEvents(listener.frames).at(-1)).toMatchObject({ value: { instanceId, seq: 2, reason: 'timeout' } })
    listener.leave()
  })

  test('later viewers are told what may come next', async () => {
    const first = await shop({ confirm: () => ({ event: 'SUCCESS', payload: { orderId: 'o7' } }) })
    const { instanceId } = await first.flows.invoke(first.session, { intentId: 'order.place' }, alice)
    await say(first, { events: [clientEvent(instanceId, 'CONFIRM', { eventId: 'c1' })] })
    await eventually(async () => Object.keys(await first.flows.active(first.session)).length === 0)
    const second = await takeOver(first)
    const listener = follow(second.sessions, first.session)
    await listener.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'intentflow.dismiss')
    const followUp = { intentId: 'order.track', props: { orderId: 'o7' } }
    expect(serverEvents(listener.frames).slice(-2)).toMatchObject([
      { name: 'intentflow.transition', value: { toState: 'confirmed', followUp } },
      { name: 'intentflow.dismiss', value: { reason: 'completed' } },
    ])
    listener.leave()
  })
})

describe('a handler whose process dies', () => {
  async function confirming(idempotent: boolean) {
    const hand = handRun()
    const first = await shop({ confirm: { run: hand.run, idempotent } })
    const { instanceId } = await first.flows.invoke(first.session, { intentId: 'order.place' }, alice)
    await say(first, { events: [clientEvent(instanceId, 'CONFIRM', { eventId: 'c1' })] })
    await hand.started()
    const second = await takeOver(first)
    const listener = follow(second.sessions, first.session)
    return { hand, first, second, instanceId, listener }
  }

  test('is not run again: its outcome is unknown, and the client is told so', async () => {
    const { hand, second, instanceId, listener } = await confirming(false)
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).slice(-2)).toMatchObject([
      { name: 'intentflow.error', value: { code: 'MUTATION_FAILED', details: { appCode: 'OUTCOME_UNKNOWN' } } },
      { name: 'intentflow.transition', value: { instanceId, toState: 'review' } },
    ])
    expect(hand.runs).toHaveLength(1)
    expect(mirrored(listener.frames)).toEqual(await second.flows.active(second.session))
    listener.leave()
  })

  test('is run again with the same key when that does no harm', async () => {
    const { hand, second, listener } = await confirming(true)
    const again = await hand.started(2)
    expect(again.idempotencyKey).toBe(hand.runs[0]?.idempotencyKey)
    again.finish({ event: 'SUCCESS', payload: { orderId: 'o1' } })
    await listener.until(done('c1'))
    expect(await second.flows.active(second.session)).toEqual({})
    listener.leave()
  })

  test('cannot write its outcome any more when another has taken over', async () => {
    const hand = handRun()
    const there = testContext()
    const registry = shopRegistry({ confirm: { run: hand.run, idempotent: true } })
    const first = shopProcess(there, registry)
    const session = await first.sessions.open({ principal: alice })
    const { instanceId } = await first.flows.invoke(session, { intentId: 'order.place' }, alice)
    await say({ ...first, session }, { events: [clientEvent(instanceId, 'CONFIRM', { eventId: 'c1' })] })
    const stalled = await hand.started()
    first.oversleep()
    await there.runtime.clock.advance(10_001)
    const second = shopProcess(there, registry)
    const again = await hand.started(2)
    again.finish({ event: 'FAILURE' })
    const listener = follow(second.sessions, session)
    await listener.until(done('c1'))
    stalled.finish({ event: 'SUCCESS', payload: { orderId: 'twice' } })
    await there.runtime.clock.advance(100)
    expect(await second.flows.active(session)).toMatchObject({ [instanceId]: { state: 'review' } })
    listener.leave()
  })

  test('before it began is run once by the next host', async () => {
    const hand = handRun()
    const there = testContext()
    const registry = shopRegistry({ confirm: hand.run })
    // Claims nothing: it takes events in, and others do the work.
    const first = shopProcess(there, registry)
    const session = await first.sessions.open({ principal: alice })
    const { instanceId } = await first.flows.invoke(session, { intentId: 'order.place' }, alice)
    await there.runtime.clock.advance(1)
    first.oversleep()
    await there.runtime.clock.advance(20_000)
    await say({ ...first, session }, { events: [clientEvent(instanceId, 'CONFIRM', { eventId: 'c1' })] })
    first.crash()
    expect(hand.runs).toHaveLength(0)
    const second = shopProcess(there, registry)
    const run = await hand.started()
    run.finish({ event: 'SUCCESS', payload: { orderId: 'o1' } })
    await eventually(async () => Object.keys(await second.flows.active(session)).length === 0)
    expect(hand.runs).toHaveLength(1)
  })
})

describe('a handler that is under way', () => {
  test('comes to its end though the time of its instance runs out meanwhile, or its flow is gone', async () => {
    const hand = handRun()
    const given = await shop({ confirm: { run: hand.run, timeoutMs: 600_000 } })
    const { instanceId } = await given.flows.invoke(given.session, { intentId: 'order.place' }, alice)
    await say(given, { events: [clientEvent(instanceId, 'CONFIRM', { eventId: 'c1' })] })
    const run = await hand.started()
    given.registry.unregister('order.place')
    const listener = follow(given.sessions, given.session)
    run.finish({ event: 'SUCCESS', payload: { orderId: 'o' } })
    await listener.until(done('c1'))
    expect(serverEvents(listener.frames).at(-1)).toMatchObject({ value: { code: 'FLOW_NOT_FOUND', instanceId } })
    listener.leave()
  })

  test('keeps its instance open until then', async () => {
    const hand = handRun()
    const there = testContext()
    const registry = shopRegistry({ confirm: { run: hand.run, timeoutMs: 600_000 } })
    const { flow: _, ...parts } = registry.get('order.place') ?? {}
    registry.register({ ...orderPlace, meta: { ...orderPlace.meta, expiresInMs: 60_000 } }, parts)
    const process = shopProcess(there, registry)
    const session = await process.sessions.open({ principal: alice })
    const { instanceId } = await process.flows.invoke(session, { intentId: 'order.place' }, alice)
    await say({ ...process, session }, { events: [clientEvent(instanceId, 'CONFIRM', { eventId: 'c1' })] })
    const run = await hand.started()
    await there.runtime.clock.advance(120_000)
    expect(await process.flows.active(session)).toMatchObject({ [instanceId]: { state: 'processing' } })
    const { answer } = await say({ ...process, session }, { events: [dismissal(instanceId)] })
    expect(answer.results).toMatchObject([{ code: 'INSTANCE_EXPIRED' }])
    const listener = follow(process.sessions, session)
    run.finish({ event: 'FAILURE' })
    await listener.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'intentflow.dismiss')
    expect(serverEvents(listener.frames).slice(-2)).toMatchObject([
      { name: 'intentflow.transition', value: { toState: 'review' } },
      { name: 'intentflow.dismiss', value: { reason: 'timeout' } },
    ])
    listener.leave()
  })
})

describe('a watch', () => {
  interface Watching {
    readonly instance: FlowInstance & { readonly instanceId: string }
    readonly tools: { update(change: object): Promise<void>; send(event: string): Promise<void>; signal: AbortSignal }
    readonly end: () => void
  }

  function handWatch() {
    const runs: Watching[] = []
    const watch = (instance: Watching['instance'], tools: unknown) =>
      new Promise<void>((resolve) => runs.push({ instance, tools: tools as Watching['tools'], end: resolve }))
    return { runs, watch }
  }

  const tracked = async (given: Shop) =>
    (await given.flows.invoke(given.session, { intentId: 'order.track', entities: { orderId: 'o' } }, alice)).instanceId

  test('runs while its instance is open, and changes it', async () => {
    const hand = handWatch()
    const given = await shop({ watch: hand.watch })
    const id = await tracked(given)
    await eventually(() => hand.runs.length === 1)
    const [run] = hand.runs
    expect(run?.instance).toMatchObject({ instanceId: id, props: { status: 'preparing' } })
    await run?.tools.update({ patch: { status: 'ready' } })
    await run?.tools.send('READY')
    expect((await given.flows.active(given.session))[id]).toMatchObject({
      state: 'ready',
      props: { status: 'ready' },
      seq: 2,
    })
    await given.flows.dismiss(given.session, id, 'completed')
    await eventually(() => run?.tools.signal.aborted === true)
  })

  test('goes on in another process, but not once it has ended by itself', async () => {
    const hand = handWatch()
    const first = await shop({ watch: hand.watch })
    const id = await tracked(first)
    await eventually(() => hand.runs.length === 1)
    const second = await takeOver(first)
    await eventually(() => hand.runs.length === 2)
    hand.runs[1]?.end()
    const watched = async () => {
      const events = await eventsOf(first.there, first.session)
      return events.some((one) => one.type === 'sliceEvent' && JSON.stringify(one.payload?.value).includes('watched'))
    }
    await eventually(watched)
    const third = await takeOver(second)
    await third.flows.update(first.session, id, { patch: { status: 'late' } })
    await first.there.runtime.clock.advance(1_000)
    expect(hand.runs).toHaveLength(2)
  })
})

describe('versions', () => {
  const flow = (version: string, extra: Partial<Parameters<typeof defineFlow>[0]> = {}) =>
    defineFlow({
      intentId: 'note.write',
      version,
      meta: { title: `Note ${version}`, description: 'Writes a note.' },
      schema: version.startsWith('1') ? z.object({ line: z.string() }) : z.object({ lines: z.array(z.string()) }),
      machine: setup({}).createMachine({
        id: 'note.write',
        initial: 'open',
        states: { open: { on: { KEEP: 'kept', TOUCH: 'open' } }, kept: { type: 'final' } },
      }),
      events: { KEEP: { source: 'client' }, TOUCH: { source: 'client' } },
      migrations: [
        {
          from: '1.0.0',
          to: '2.0.0',
          up: ({ line, ...rest }) => ({ ...rest, lines: [line] }),
          down: ({ lines, ...rest }) => ({ ...rest, line: (lines as string[])[0] }),
        },
      ],
      ...extra,
    })

  async function notes(registry: FlowRegistry) {
    const there = testContext()
    const process = shopProcess(there, registry)
    const session = await process.sessions.open({ principal: alice })
    return { there, registry, ...process, session, by: alice }
  }

  test('an instance stays with the version that it began with', async () => {
    const registry = new FlowRegistry().register(flow('1.0.0'))
    const given = await notes(registry)
    const { instanceId } = await given.flows.invoke(
      given.session,
      { intentId: 'note.write', entities: { line: 'a' } },
      alice,
    )
    registry.register(flow('2.0.0'))
    await given.flows.update(given.session, instanceId, { patch: { line: 'b' } })
    await expect(given.flows.update(given.session, instanceId, { patch: { line: 7 } })).rejects.toThrow('line')
    expect(await given.flows.active(given.session)).toMatchObject({
      [instanceId]: { version: '1.0.0', props: { line: 'b' } },
    })
    const newer = await given.flows.invoke(given.session, { intentId: 'note.write', entities: { lines: ['c'] } }, alice)
    expect(newer.version).toBe('2.0.0')
  })

  test('an instance goes on by the newest version where its own is gone, as far as that knows how', async () => {
    const registry = new FlowRegistry().register(flow('1.0.0'))
    const given = await notes(registry)
    const { instanceId } = await given.flows.invoke(
      given.session,
      { intentId: 'note.write', entities: { line: 'a' } },
      alice,
    )
    registry.register(flow('2.0.0'))
    registry.unregister('note.write', '1.0.0')
    // Its props stay those of its version for its client, and are checked as those of the new one.
    await given.flows.update(given.session, instanceId, { patch: { line: 'b' } })
    await expect(given.flows.update(given.session, instanceId, { patch: { line: 7 } })).rejects.toThrow('lines')
    expect((await say(given, { events: [clientEvent(instanceId, 'TOUCH')] })).answer.results).toMatchObject([
      { status: 'applied' },
    ])
    registry.register(
      flow('3.0.0', {
        machine: setup({}).createMachine({
          id: 'n',
          initial: 'fresh',
          states: { fresh: { on: { KEEP: 'kept', TOUCH: 'kept' } }, kept: { type: 'final' } },
        }),
      }),
    )
    registry.unregister('note.write', '2.0.0')
    const { answer } = await say(given, { events: [clientEvent(instanceId, 'TOUCH')] })
    expect(answer.results).toMatchObject([{ code: 'UNSUPPORTED_VERSION' }])
    registry.unregister('note.write')
    const gone = await say(given, { events: [clientEvent(instanceId, 'TOUCH'), dismissal(instanceId)] })
    expect(gone.answer.results).toMatchObject([{ code: 'FLOW_NOT_FOUND' }, { status: 'applied' }])
  })

  test('a client that shows an older version gets props of that, or is told that it cannot', async () => {
    const given = await notes(new FlowRegistry().register(flow('2.0.0')))
    const shows = (version: string) => ({ client: { v: 1, flows: { 'note.write': version } } })
    const invoke = (eventId: string) => ({
      invoke: { eventId, intentId: 'note.write', entities: { lines: ['a', 'b'] } },
    })
    const { answer } = await say(given, { ...shows('1.0.0'), ...invoke('i1') })
    const [result] = answer.results
    const instanceId = result?.status === 'applied' ? (result.instanceId ?? '') : ''
    expect((await given.flows.active(given.session))[instanceId]).toMatchObject({
      version: '1.0.0',
      props: { line: 'a' },
    })
    expect((await say(given, { events: [clientEvent(instanceId, 'TOUCH')] })).answer.results).toMatchObject([
      { status: 'applied' },
    ])
    const unable = await say(given, { ...shows('0.9.0'), ...invoke('i2') })
    expect(unable.answer.results).toMatchObject([{ eventId: 'i2', code: 'UNSUPPORTED_VERSION' }])
    const before = (await eventsOf(given.there, given.session)).length
    await say(given, shows('0.9.0'))
    expect(await eventsOf(given.there, given.session)).toHaveLength(before)
  })
})

describe('erasure', () => {
  test('of a session takes its flows with it', async () => {
    const given = await shop()
    await given.flows.invoke(given.session, { intentId: 'order.place', entities: { item: 'Secret Tea' } }, alice)
    await given.sessions.erase(given.session, { scope: 'session' }, alice)
    expect(JSON.stringify(await eventsOf(given.there, given.session))).not.toContain('Secret Tea')
    await expect(given.flows.active(given.session)).rejects.toThrow('no such session')
  })

  test('of what is old leaves the flows that are open, however old they are', async () => {
    const given = await shop()
    const { clock } = given.there.runtime
    const over = await given.flows.invoke(
      given.session,
      { intentId: 'order.place', entities: { item: 'Secret Tea' } },
      alice,
    )
    await given.flows.dismiss(given.session, over.instanceId, 'cancelled')
    await clock.advance(1_000)
    const open = await given.flows.invoke(given.session, { intentId: 'order.place' }, alice)
    await say(given, { events: [clientEvent(open.instanceId, 'EDIT')] })
    await clock.advance(1_000)
    await given.sessions.erase(given.session, { scope: 'before', before: clock.now() }, alice)
    expect(JSON.stringify(await eventsOf(given.there, given.session))).not.toContain('Secret Tea')
    expect(Object.keys(await given.flows.active(given.session))).toEqual([open.instanceId])
    const { answer } = await say(given, { events: [clientEvent(open.instanceId, 'EDIT')] })
    expect(answer.results).toMatchObject([{ status: 'applied', seq: 2 }])
    await given.flows.dismiss(given.session, open.instanceId, 'cancelled')
    await given.sessions.erase(given.session, { scope: 'before', before: clock.now() + 1 }, alice)
    expect(JSON.stringify(await eventsOf(given.there, given.session))).not.toContain('intentflow.render')
  })

  test('erasure of what a user said removes the flows of their session', async () => {
    const given = await shop()
    await given.sessions.post(given.session, said('hello'), alice)
    await given.flows.invoke(given.session, { intentId: 'order.place', entities: { item: 'Secret Tea' } }, alice)
    await say(given, { invoke: { eventId: 'i1', intentId: 'order.place', entities: { item: 'Hidden Tea' } } })
    await eventually(async () => Object.keys(await given.flows.active(given.session)).length === 2)
    await given.sessions.erase(given.session, { scope: 'originators', originatorIds: ['sse:alice'] }, alice)
    expect(JSON.stringify(await eventsOf(given.there, given.session))).not.toMatch(/Secret Tea|Hidden Tea/)
    expect(await given.flows.active(given.session)).toEqual({})
  })
})
