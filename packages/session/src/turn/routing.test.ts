import type { Slice } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { alice, bob, eventsOf, testContext } from '../host/test-context.test-helper.ts'

const notes: Slice<object> = {
  ns: 'notes',
  version: 1,
  initial: {},
  fold: (state) => state,
  handle: (_, value, { by }) => {
    const drafts = [{ type: 'sliceEvent' as const, ns: 'notes', name: 'noted', payload: { value, by } }]
    return { drafts, reply: {} }
  },
}

test('a caller that tells a slice something learns where it is in the log, and a stranger is refused', async () => {
  const there = testContext()
  const { sessions } = there.process({ idle: async () => {} }, { slices: [notes] })
  const session = await sessions.open({ principal: alice })
  const head = (await there.store.read(session, 0)).at(-1)?.seq ?? 0
  expect(await sessions.handle(session, 'notes', 'one', alice)).toEqual({ seq: head + 1 })
  // Slices that take nothing are none to talk to.
  expect([...sessions.handledNamespaces]).toEqual(['notes'])
  await expect(sessions.handle(session, 'notes', 'two', bob)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(JSON.stringify(await eventsOf(there, session))).not.toContain('two')
})

test('a list of sessions says when each was opened', async () => {
  const there = testContext()
  const { sessions } = there.process({ idle: async () => {} })
  const first = { sessionId: await sessions.open({ principal: alice }), openedAt: there.runtime.clock.now() }
  await there.runtime.clock.advance(1_000)
  const second = { sessionId: await sessions.open({ principal: alice }), openedAt: there.runtime.clock.now() }
  expect((await sessions.list({}, alice)).items).toEqual([second, first])
})

test.for([{ key: 'thread' }, { id: 'sess_known' }])(
  'a session that is opened twice by %o is listed once, since its first opening',
  async (by) => {
    const there = testContext()
    const { sessions } = there.process({ idle: async () => {} })
    const openedAt = there.runtime.clock.now()
    const sessionId = await sessions.open({ principal: alice, ...by })
    await there.runtime.clock.advance(1_000)
    expect(await sessions.open({ principal: alice, ...by })).toBe(sessionId)
    // In a page of one, a second row would be on a page of its own.
    expect(await sessions.list({ limit: 1 }, alice)).toEqual({ items: [{ sessionId, openedAt }] })
  },
)

test('a list of sessions comes in pages, each session once, and the last page names no next one', async () => {
  const there = testContext()
  const { sessions } = there.process({ idle: async () => {} })
  const opened: string[] = []
  for (let n = 0; n < 4; n++) {
    opened.unshift(await sessions.open({ principal: alice }))
    await there.runtime.clock.advance(1)
  }
  const first = await sessions.list({ limit: 2 }, alice)
  expect(first.next).toBeDefined()
  const second = await sessions.list({ limit: 2, ...(first.next !== undefined && { after: first.next }) }, alice)
  expect(second.next).toBeUndefined()
  expect([...first.items, ...second.items].map(({ sessionId }) => sessionId)).toEqual(opened)
})

test('a caller that tells a slice something may open its session by that, and gets into no session of another caller', async () => {
  const there = testContext()
  const { sessions } = there.process({ idle: async () => {} }, { slices: [notes] })
  await sessions.handle('sess_new', 'notes', 'one', alice, {})
  await sessions.handle('sess_new', 'notes', 'two', alice, {})
  expect((await eventsOf(there, 'sess_new')).map(({ type }) => type)).toEqual([
    'sessionOpened',
    'sliceEvent',
    'sliceEvent',
  ])
  expect((await sessions.list({}, alice)).items).toMatchObject([{ sessionId: 'sess_new' }])
  await expect(sessions.handle('sess_new', 'notes', 'three', bob, {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(JSON.stringify(await eventsOf(there, 'sess_new'))).not.toContain('three')
})
