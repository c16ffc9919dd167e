import type { Frame } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { assign, setup } from 'xstate'
import * as z from 'zod'
import { alice, eventually, follow, testContext } from '../../../session/src/host/test-context.test-helper.ts'
import { defineEventHandlers } from '../definition/event-handlers.ts'
import { defineFlow } from '../definition/define-flow.ts'
import { FlowRegistry } from '../registry/flow-registry.ts'
import type { FlowResult } from './handle-client-request.ts'
import { clientEvent, dismissal, mirrored, say, serverEvents, shopProcess } from './shop.test-helper.ts'

const named = z.object({ op: z.string() })

interface LedgerTypes {
  context: { log: string[] }
  events: { type: 'ADD' | 'GO' | 'BACK' | 'END' | 'TICK'; op: string }
}

const types = {} as LedgerTypes

/** A flow that writes down what was done to it, in the order in which it was done. */
const ledger = defineFlow({
  intentId: 'test.ledger',
  meta: { title: 'Ledger', description: 'Remembers what was done.' },
  schema: z.object({ marks: z.array(z.string()).default([]) }),
  machine: setup({
    types,
    actions: { write: assign({ log: ({ context, event: { op } }) => [...context.log, op] }) },
  }).createMachine({
    id: 'test.ledger',
    context: { log: [] },
    initial: 'left',
    states: {
      left: {
        on: {
          ADD: { guard: ({ context }) => context.log.length < 9, actions: 'write' },
          GO: { target: 'right', actions: 'write' },
          TICK: { actions: 'write' },
        },
      },
      right: {
        on: {
          ADD: { actions: 'write' },
          BACK: { target: 'left', actions: 'write' },
          END: { target: 'over', actions: 'write' },
        },
      },
      over: { type: 'final' },
    },
  }),
  events: {
    ADD: { source: 'client', schema: named },
    GO: { source: 'client', schema: named },
    BACK: { source: 'client', schema: named },
    END: { source: 'client', schema: named },
    TICK: { source: 'server', schema: named },
  },
})

type Op =
  | { readonly kind: 'event'; readonly name: string; readonly instance: number; readonly expectedSeq?: number }
  | { readonly kind: 'dismiss'; readonly instance: number }

const instances = 2
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        kind: fc.constant('event' as const),
        name: fc.constantFrom('ADD', 'GO', 'BACK', 'END', 'TICK', 'NONE'),
        instance: fc.nat(instances - 1),
        expectedSeq: fc.nat(4),
      },
      { requiredKeys: ['kind', 'name', 'instance'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dismiss' as const), instance: fc.nat(instances - 1) }) },
)

/** What each client sends: batches of ops; a batch may be sent again, by any client. */
const clients = fc.array(fc.array(fc.array(op, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
})
const repeats = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(2)), { maxLength: 6 })

test('however client events interleave and repeat, the server is where one order of them leads, and so is every client', async () => {
  await fc.assert(
    fc.asyncProperty(clients, repeats, async (plans, again) => {
      const there = testContext()
      const registry = new FlowRegistry().register(ledger)
      const processes = [shopProcess(there, registry), shopProcess(there, registry)]
      const [first, second] = processes
      if (first === undefined || second === undefined) throw new Error('There are two.')
      const session = await first.sessions.open({ principal: alice })
      const early = follow(first.sessions, session)
      const ids: string[] = []
      for (let index = 0; index < instances; index++) {
        ids.push((await first.flows.invoke(session, { intentId: 'test.ledger' }, alice)).instanceId)
      }
      const batches = plans.map((plan, client) =>
        plan.map((ops, batch) => ops.map((one, place) => eventOf(one, `c${client}.b${batch}.${place}`, ids))),
      )
      const sends: { readonly process: number; readonly client: number; readonly events: readonly unknown[] }[] =
        batches.flatMap((own, client) => own.map((events) => ({ process: client % 2, client, events })))
      for (const [client, batch, process] of again) {
        const own = batches[client % batches.length] ?? []
        sends.push({ process: process % 2, client: 99 + process, events: own[batch % own.length] ?? [] })
      }
      const names = new Map(
        plans.flatMap((plan, client) =>
          plan.flatMap((ops, batch) =>
            ops.map((one, place) => [`c${client}.b${batch}.${place}`, one.kind === 'event' ? one.name : ''] as const),
          ),
        ),
      )
      const results: FlowResult[] = []
      let late: ReturnType<typeof follow> | undefined
      // The batches of one client come one after the other; those of different ones at the same time.
      const byClient = Map.groupBy(sends, ({ client }) => client)
      await Promise.all(
        [...byClient.values()].map(async (own, index) => {
          for (const { process, events } of own) {
            const { answer } = await say({ sessions: (processes[process] ?? first).sessions, session }, { events })
            results.push(...answer.results)
            if (index === 0) late ??= follow(second.sessions, session)
          }
        }),
      )
      const active = await second.flows.active(session)
      const fresh = shopProcess(there, registry)
      expect(await fresh.flows.active(session)).toEqual(active)
      // A viewer of this event has seen all events before it.
      const { actionId } = await first.flows.action(session, { action: 'haptic_feedback', config: {} })
      const listeners = late === undefined ? [early] : [early, late]
      await eventually(() => listeners.every(({ frames }) => sawAction(frames, actionId)))
      for (const { frames } of listeners) expect(mirrored(frames)).toEqual(active)

      const applied = results.filter(({ status }) => status === 'applied').map(({ eventId }) => eventId)
      expect(new Set(applied).size).toBe(applied.length)
      const logs = ids.map((id) => logOf(early.frames, id))
      expect(logs.flatMap(({ log }) => log).toSorted()).toEqual(
        applied.filter((id) => !dismissals(batches).has(id)).toSorted(),
      )
      for (const { log, state } of logs) {
        expect(serially(log, names)).toEqual({ state, log })
        for (const client of plans.keys()) {
          const own = log.filter((id) => id.startsWith(`c${client}.`))
          if (again.length === 0) expect(own).toEqual(own.toSorted())
        }
      }
      for (const id of ids) {
        const seqs = serverEvents(early.frames).flatMap(({ value }) => (value.instanceId === id ? [value.seq] : []))
        expect(seqs).toEqual(seqs.map((_, index) => index))
      }
      for (const listener of listeners) listener.leave()
      for (const { crash } of [...processes, fresh]) crash()
    }),
    { numRuns: 60 },
  )
})

interface PayingTypes {
  context: { paid: number; failed: number }
  events: { type: 'PAY' | 'PAID' | 'FAILURE' }
}

const payingTypes = {} as PayingTypes

/** A flow that takes money by a handler, again and again. */
const paying = defineFlow({
  intentId: 'test.pay',
  meta: { title: 'Pay', description: 'Takes money.' },
  schema: z.object({}),
  machine: setup({ types: payingTypes }).createMachine({
    id: 'test.pay',
    context: { paid: 0, failed: 0 },
    initial: 'open',
    states: {
      open: { on: { PAY: 'paying' } },
      paying: {
        on: {
          PAID: { target: 'open', actions: assign({ paid: ({ context }) => context.paid + 1 }) },
          FAILURE: { target: 'open', actions: assign({ failed: ({ context }) => context.failed + 1 }) },
        },
      },
    },
  }),
  events: { PAY: { source: 'client' }, PAID: { source: 'server' }, FAILURE: { source: 'server' } },
})

const steps = fc.array(fc.constantFrom('send' as const, 'crash' as const, 'let go' as const), { maxLength: 12 })

test('however often processes die, a handler runs at most once for its event, and each event is answered once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (plan, idempotent) => {
      const there = testContext()
      const runs: string[] = []
      let gate = Promise.withResolvers<void>()
      const run = async ({ idempotencyKey }: { readonly idempotencyKey: string }) => {
        runs.push(idempotencyKey)
        await gate.promise
        return { event: 'PAID' as const }
      }
      const handlers = defineEventHandlers(paying, { PAY: { run, idempotent, timeoutMs: 3_600_000 } })
      const registry = new FlowRegistry().register(paying, { handlers })
      let process = shopProcess(there, registry)
      const session = await process.sessions.open({ principal: alice })
      const { instanceId } = await process.flows.invoke(session, { intentId: 'test.pay' }, alice)
      const sent: string[] = []
      const restart = async () => {
        process.crash()
        await there.runtime.clock.advance(10_001)
        process = shopProcess(there, registry)
      }
      for (const step of plan) {
        if (step === 'crash') await restart()
        if (step === 'let go') {
          gate.resolve()
          await there.runtime.clock.advance(1)
          gate = Promise.withResolvers()
        }
        if (step !== 'send') continue
        const eventId = `pay${sent.length}`
        sent.push(eventId)
        // Each twice: the second one changes nothing.
        const events = [1, 2].map(() => clientEvent(instanceId, 'PAY', { eventId }))
        await say({ sessions: process.sessions, session }, { events })
        await there.runtime.clock.advance(1)
      }
      gate.resolve()
      await restart()
      await eventually(async () => (await process.flows.active(session))[instanceId]?.state === 'open')
      const listener = follow(process.sessions, session)
      const { actionId } = await process.flows.action(session, { action: 'haptic_feedback', config: {} })
      await eventually(() => sawAction(listener.frames, actionId))
      const applied = serverEvents(listener.frames).flatMap((one) =>
        one.name === 'intentflow.transition' && one.value.toState === 'paying' ? [one.value.inReplyTo] : [],
      )
      const answers = listener.frames.flatMap((frame) => (frame.kind === 'part' ? (frame.answers ?? []) : []))
      expect(answers).toEqual(applied)
      if (!idempotent) expect(new Set(runs).size).toBe(runs.length)
      const { paid, failed } = ((await process.flows.active(session))[instanceId]?.context ?? {}) as Record<
        string,
        number
      >
      expect((paid ?? 0) + (failed ?? 0)).toBe(applied.length)
      if (idempotent) expect(failed).toBe(0)
      expect(mirrored(listener.frames)).toEqual(await process.flows.active(session))
      listener.leave()
      process.crash()
    }),
    { numRuns: 40 },
  )
})

function eventOf(one: Op, eventId: string, ids: readonly string[]): unknown {
  const instanceId = ids[one.instance] ?? ''
  if (one.kind === 'dismiss') return dismissal(instanceId, { eventId })
  const { name, expectedSeq } = one
  const more = expectedSeq === undefined ? {} : { expectedSeq }
  return clientEvent(instanceId, name, { eventId, payload: { op: eventId }, ...more })
}

function dismissals(batches: readonly (readonly (readonly unknown[])[])[]): ReadonlySet<string> {
  const all = batches.flat(2) as { readonly name: string; readonly value: { readonly eventId: string } }[]
  return new Set(all.filter(({ name }) => name === 'intentflow.dismiss_request').map(({ value }) => value.eventId))
}

function sawAction(frames: readonly Frame[], actionId: string): boolean {
  return serverEvents(frames).some((one) => one.name === 'intentflow.action' && one.value.actionId === actionId)
}

/** What was done to an instance, in its order, and where that has led. */
function logOf(frames: readonly Frame[], id: string): { log: string[]; state: string } {
  let log: string[] = []
  let state = 'left'
  for (const one of serverEvents(frames)) {
    if (one.name !== 'intentflow.transition' || one.value.instanceId !== id) continue
    state = one.value.toState
    log = (one.value.context?.log as string[] | undefined) ?? log
  }
  return { log, state }
}

/** The same events, one after the other, given to the bare machine. */
function serially(log: readonly string[], names: ReadonlyMap<string, string>): { log: string[]; state: string } {
  let place = ledger.machine.initial()
  for (const name of log) {
    const next = names.get(name) ?? ''
    const step = ledger.machine.next(place.state, place.context, { type: next, payload: { op: name } })
    if (step === undefined) throw new Error(`${next} is not taken in ${place.state}.`)
    place = step
  }
  return { state: place.state, log: place.context.log as string[] }
}
