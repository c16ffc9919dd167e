import { setImmediate as nextRound } from 'node:timers/promises'
import type { Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { expect, test, vi } from 'vitest'
import { alice, eventsOf, eventually, said, testContext } from '../host/test-context.test-helper.ts'
import type { ActorContext } from './function-actor.ts'

type Kind = SessionEvent['type']
type RunTool = Parameters<ActorContext['tool']>[1]

/** Runs a tool, and gives the events of each append that is about tools or what they say. */
async function appendsOf(run: RunTool, idempotent: boolean): Promise<Kind[][]> {
  const there = testContext()
  const append = vi.spyOn(there.store, 'append')
  const { sessions } = there.process({ clerk: clerk(run, idempotent) })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('look'), alice)
  const appends = () => append.mock.calls.map((call: Parameters<Store['append']>) => kindsOf(call[2]))
  await eventually(() => appends().some((kinds) => kinds.includes('turnSettled')))
  return appends().filter((kinds) => kinds.some((kind) => kind.startsWith('tool')))
}

function kindsOf(events: readonly unknown[]): Kind[] {
  return events.map((event) => (event as SessionEvent).type)
}

function clerk(run: RunTool, idempotent: boolean) {
  return async ({ tool, respond }: ActorContext) => {
    await tool({ name: 'look', args: {}, idempotent }, run)
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  }
}

async function rounds(): Promise<void> {
  for (let round = 0; round < 20; round++) await nextRound()
}

test('the start and the end of a tool that may run twice are one write when it ends at once', async () => {
  expect(await appendsOf(async () => 'seen', true)).toEqual([['toolStarted', 'toolFinished']])
})

test('the start of a tool that may run twice is written while it runs', async () => {
  const slow = async () => {
    await rounds()
    return 'seen'
  }
  expect(await appendsOf(slow, true)).toEqual([['toolStarted'], ['toolFinished']])
})

test('the start of a tool that may run once is written before it runs', async () => {
  expect(await appendsOf(async () => 'paid', false)).toEqual([['toolStarted'], ['toolFinished']])
})

test('what a tool says comes after its start, and before its end', async () => {
  const there = testContext()
  const { sessions } = there.process({
    clerk: clerk(async ({ emit }) => emit([{ partType: 'ack', text: 'Looking.' }]), true),
  })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('look'), alice)
  const kinds = async () => kindsOf(await eventsOf(there, session))
  await eventually(async () => (await kinds()).includes('turnSettled'))
  const told = (await kinds()).filter((kind) => ['toolStarted', 'partReceived', 'toolFinished'].includes(kind))
  expect(told).toEqual(['toolStarted', 'partReceived', 'toolFinished', 'partReceived'])
})

test('a tool whose start could not be written has no end without a start', async () => {
  const there = testContext()
  const append = there.store.append.bind(there.store)
  let isBroken = true
  let runs = 0
  vi.spyOn(there.store, 'append').mockImplementation(async (session, expected, events, wakeAt) => {
    if (isBroken && kindsOf(events).includes('toolStarted')) throw new Error('The disk is full.')
    return append(session, expected, events, wakeAt)
  })
  const slow = async () => {
    runs++
    await rounds()
    isBroken = false
  }
  const { sessions } = there.process({ clerk: clerk(slow, true) })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('look'), alice)
  const kinds = async () => kindsOf(await eventsOf(there, session))
  await eventually(async () => {
    await there.runtime.clock.advance(1_000)
    return (await kinds()).includes('turnSettled')
  })
  const told = (await kinds()).filter((kind) => kind.startsWith('tool'))
  expect(told).toEqual(['toolStarted', 'toolFinished'])
  expect(runs).toBe(2)
})
