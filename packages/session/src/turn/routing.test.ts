import type { Slice } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { alice, bob, eventsOf, world } from '../host/world.test-helper.ts'

const notes: Slice<object> = {
  ns: 'notes',
  version: 1,
  initial: {},
  fold: (state) => state,
  hear: (_, value, { by }) => {
    const drafts = [{ type: 'sliceEvent' as const, ns: 'notes', name: 'noted', payload: { value, by } }]
    return { drafts, heard: {} }
  },
}

test('a caller that tells a slice something learns where it is in the log, and a stranger is refused', async () => {
  const there = world()
  const { sessions } = there.process({ idle: async () => {} }, { slices: [notes] })
  const session = await sessions.open({ principal: alice })
  const head = (await there.store.read(session, 0)).at(-1)?.seq ?? 0
  expect(await sessions.hear(session, 'notes', 'one', alice)).toEqual({ seq: head + 1 })
  await expect(sessions.hear(session, 'notes', 'two', bob)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(JSON.stringify(await eventsOf(there, session))).not.toContain('two')
})

test('a list of sessions says when each was opened', async () => {
  const there = world()
  const { sessions } = there.process({ idle: async () => {} })
  const first = { sessionId: await sessions.open({ principal: alice }), openedAt: there.runtime.clock.now() }
  await there.runtime.clock.advance(1_000)
  const second = { sessionId: await sessions.open({ principal: alice }), openedAt: there.runtime.clock.now() }
  expect((await sessions.list({}, alice)).items).toEqual([second, first])
})
