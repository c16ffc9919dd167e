import { PartTypeRegistry, TurnStateRegistry, type Actor } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import {
  alice,
  eventsOf,
  eventually,
  follow,
  said,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'
import { replaySession } from './replay.ts'

const response = (text: string) => ({ partType: 'response' as const, text })

async function replayOf({ store }: TestContext, session: string, actors: Readonly<Record<string, Actor>>) {
  const registries = { partTypes: PartTypeRegistry.canonical(), turnStates: TurnStateRegistry.canonical() }
  return replaySession({ ...registries, store, actors, place: async (placed) => placed }, { session })
}

async function typesOf(there: TestContext, session: string): Promise<string[]> {
  return (await eventsOf(there, session)).map(({ type }) => type)
}

test.each([true, false])(
  'a session is the same again with a crash in the middle of a tool (idempotent: %s), and nothing runs',
  async (idempotent) => {
    const there = testContext()
    let runs = 0
    const run = async ({ respond, tool }: ActorContext) => {
      await respond({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
      const found = await tool({ name: 'search', args: { q: 1 }, idempotent }, async ({ emit }) => {
        runs++
        await emit([{ partType: 'progress', data: { label: 'Searching' } }])
        return runs === 1 ? new Promise<string>(() => {}) : 'sand'
      })
      await respond({ parts: [response(found.outcome === 'ok' ? found.value : found.reason)], turnState: 'complete' })
    }
    const one = there.process({ actor: run })
    const session = await one.sessions.open({ principal: alice })
    await one.sessions.post(session, said('go'), alice)
    await eventually(async () => (await typesOf(there, session)).includes('toolStarted'))
    await eventually(async () => (await typesOf(there, session)).filter((type) => type === 'stepCommitted').length > 1)
    one.crash()
    const two = there.process({ actor: run })
    const seen = follow(two.sessions, session)
    await there.runtime.clock.advance(30_000)
    await seen.settled()
    expect(await typesOf(there, session)).toContain('turnResumed')
    const before = runs
    const report = await replayOf(there, session, { actor: defineActor(run) })
    expect(report.same, JSON.stringify(report.turns)).toBe(true)
    expect(runs).toBe(before)
  },
)

test('a session is the same again with work in parallel that a crash interrupts', async () => {
  const there = testContext()
  let runs = 0
  const works = { find: { idempotent: true, run: async () => (++runs === 1 ? new Promise(() => {}) : { found: 3 }) } }
  const actor = defineActor(
    async ({ manifest, respond }) => {
      const open = await manifest({ name: 'research', slots: { one: { work: 'find', args: { q: 1 } } } })
      const { results } = await open.settled()
      await respond({ parts: [response(`${results.length} results`)], turnState: 'complete' })
    },
    { works },
  )
  const one = there.process({ actor })
  const session = await one.sessions.open({ principal: alice })
  await one.sessions.post(session, said('go'), alice)
  await eventually(async () => (await typesOf(there, session)).includes('slotStarted'))
  one.crash()
  const two = there.process({ actor })
  const seen = follow(two.sessions, session)
  await there.runtime.clock.advance(30_000)
  await seen.settled()
  const before = runs
  const report = await replayOf(there, session, { actor })
  expect(report.same, JSON.stringify(report.turns)).toBe(true)
  expect(runs).toBe(before)
})

test('a record that ends in the middle of a turn is the same as far as it goes', async () => {
  const there = testContext()
  const actor = defineActor(async ({ tool, respond }) => {
    await respond({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
    await tool({ name: 'wait', args: {} }, () => new Promise<string>(() => {}))
    await respond({ parts: [response('Done.')], turnState: 'complete' })
  })
  const { sessions } = there.process({ actor })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  await eventually(async () => (await typesOf(there, session)).includes('toolStarted'))
  const report = await replayOf(there, session, { actor })
  expect(report.same, JSON.stringify(report.turns)).toBe(true)
  await sessions.stop()
})
