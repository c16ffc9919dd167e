import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { createFlowClient } from './create-flow-client.ts'
import { flushMicrotasks, FakeServer } from './fake-server.test-helper.ts'
import type { ShownFlow } from './snapshots.ts'

/** What the server does, step by step. */
const steps = fc.array(
  fc.oneof(
    fc.constant({ kind: 'render' as const }),
    fc.record({ kind: fc.constant('move' as const), flow: fc.nat(5), to: fc.constantFrom('review', 'editing', 'x') }),
    fc.record({ kind: fc.constant('patch' as const), flow: fc.nat(5), value: fc.nat(9) }),
    fc.record({ kind: fc.constant('append' as const), flow: fc.nat(5), value: fc.nat(9) }),
    fc.record({ kind: fc.constant('dismiss' as const), flow: fc.nat(5) }),
    fc.record({ kind: fc.constant('action' as const), flow: fc.nat(5) }),
    fc.record({ kind: fc.constant('error' as const), flow: fc.nat(5) }),
  ),
  { maxLength: 30 },
)

/** What the transport does with each event: how often it comes, and how late. */
const fates = fc.array(fc.record({ copies: fc.nat(2), delays: fc.tuple(fc.nat(12), fc.nat(12)) }), {
  minLength: 30,
  maxLength: 30,
})

type Step =
  typeof steps extends fc.Arbitrary<infer Value> ? (Value extends readonly (infer One)[] ? One : never) : never

function run(server: FakeServer, step: Step): void {
  if (step.kind === 'render') {
    server.render()
    return
  }
  const active = Object.keys(server.flows)
  const instanceId = active[step.flow % Math.max(active.length, 1)]
  if (instanceId === undefined) return
  switch (step.kind) {
    case 'move':
      server.transition(instanceId, step.to, { moved: step.flow })
      break
    case 'patch':
      server.write('intentflow.props_update', { instanceId, patch: { count: step.value } })
      break
    case 'append':
      server.write('intentflow.props_update', {
        instanceId,
        operations: [{ op: 'append', path: 'items', value: step.value }],
      })
      break
    case 'dismiss':
      server.write('intentflow.dismiss', { instanceId, reason: 'completed' })
      break
    case 'action':
      server.write('intentflow.action', {
        instanceId,
        action: 'haptic_feedback',
        config: {},
        responseRequired: false,
      })
      break
    case 'error':
      server.write('intentflow.error', { instanceId, code: 'TIMEOUT', message: 'Late.', recoverable: true })
  }
}

/** The events as the transport brings them: lost, late, twice. */
function delivered(written: readonly ServerEvent[], given: readonly { copies: number; delays: [number, number] }[]) {
  const all = written.flatMap((event, at) => {
    const { copies = 1, delays = [0, 0] } = given[at % given.length] ?? {}
    return delays.slice(0, copies).map((delay) => ({ event, at: at + delay }))
  })
  return all.toSorted((one, other) => one.at - other.at).map(({ event }) => event)
}

function bare(flows: readonly ShownFlow[]): object {
  return Object.fromEntries(
    flows.map(({ instanceId, pending: _p, dismissing: _d, error: _e, ...flow }) => [instanceId, flow]),
  )
}

test('whatever order, loss and duplication there is, after a resync the client has what the server has', async () => {
  let differed = 0
  await fc.assert(
    fc.asyncProperty(steps, fates, fc.boolean(), async (given, fate, asksMeanwhile) => {
      const server = new FakeServer()
      // Nothing comes but what the courier brings.
      server.courier = () => {}
      const client = createFlowClient({ transport: { send: server.transport.send } })
      for (const step of given) run(server, step)
      const events = delivered(server.written, fate)
      for (const [at, event] of events.entries()) {
        client.receive(structuredClone(event))
        if (asksMeanwhile && at % 5 === 0) await Promise.resolve()
      }
      if (JSON.stringify(bare(client.getSnapshot().flows)) !== JSON.stringify(server.flows)) differed++
      await client.resync()
      expect(bare(client.getSnapshot().flows)).toEqual(server.flows)
      client.close()
    }),
    { numRuns: 300 },
  )
  // Otherwise nothing of this was tried.
  expect(differed).toBeGreaterThan(0)
})

test('what comes late, or twice, in any order, needs no resync once it is all there', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fates, async (given, fate) => {
      const server = new FakeServer()
      server.courier = () => {}
      const client = createFlowClient({ transport: { send: server.transport.send } })
      for (const step of given) run(server, step)
      const complete = fate.map(({ copies, delays }) => ({ copies: Math.max(copies, 1), delays }))
      for (const event of delivered(server.written, complete)) client.receive(structuredClone(event))
      expect(bare(client.getSnapshot().flows)).toEqual(server.flows)
      await flushMicrotasks()
      expect(server.received).toEqual([])
      client.close()
    }),
    { numRuns: 300 },
  )
})

test('every event is told once, and those of one flow in order', () => {
  fc.assert(
    fc.property(steps, fates, (given, fate) => {
      const server = new FakeServer()
      server.courier = () => {}
      const client = createFlowClient({ transport: { send: () => new Promise<never>(() => {}) } })
      const reported: ServerEvent['value'][] = []
      for (const name of ['render', 'transition', 'props_update', 'dismiss'] as const) {
        client.on(`intentflow.${name}`, (value) => reported.push(value))
      }
      const asides: (string | undefined)[] = []
      for (const name of ['error', 'action'] as const) {
        client.on(`intentflow.${name}`, ({ eventId }) => asides.push(eventId))
      }
      for (const step of given) run(server, step)
      const complete = fate.map(({ copies, delays }) => ({ copies: Math.max(copies, 1), delays }))
      for (const event of delivered(server.written, complete)) client.receive(structuredClone(event))
      const isParked = ({ name }: ServerEvent) => name === 'intentflow.error' || name === 'intentflow.action'
      const expected = server.written.filter((event) => !isParked(event)).map(({ value }) => value)
      const ids = (values: readonly ServerEvent['value'][], instanceId: unknown) =>
        values.filter((value) => value.instanceId === instanceId).map(({ eventId }) => eventId)
      for (const { instanceId } of expected) expect(ids(reported, instanceId)).toEqual(ids(expected, instanceId))
      const written = server.written.filter(isParked).map(({ value }) => value.eventId)
      expect(asides).toHaveLength(written.length)
      expect(new Set(asides)).toEqual(new Set(written))
      client.close()
    }),
    { numRuns: 200 },
  )
})
