import { expect, test } from 'vitest'
import type { ActorContext } from './function-actor.ts'
import { alice, eventsOf, follow, said, testContext } from '../host/test-context.test-helper.ts'

test('a tool that runs again is given what it noted last, and says only what it has not said', async () => {
  const shared = testContext()
  const noted: unknown[] = []
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const actor = async ({ tool, respond }: ActorContext) => {
    const call = { name: 'ask', args: {}, idempotent: true }
    const outcome = await tool(call, async ({ note, noted: before, emit }) => {
      noted.push(before)
      const isFirst = before === undefined
      // In another order than before, as things come from elsewhere.
      const words = isFirst ? ['one', 'two'] : ['two', 'three', 'one']
      for (const text of words) await emit([{ partType: 'thinking', text }], 'delegated', text)
      if (!isFirst) return 'done'
      await note({ task: 1 })
      await note({ task: 2 })
      resolve()
      return new Promise<string>(() => {})
    })
    const text = outcome.outcome === 'ok' ? outcome.value : outcome.reason
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  }
  const first = shared.process({ actor })
  const session = await first.sessions.open({ principal: alice })
  await first.sessions.post(session, said('hello'), alice)
  await reached
  first.crash()
  const second = shared.process({ actor })
  const feed = follow(second.sessions, session)
  await shared.runtime.clock.advance(60_000)
  await feed.settled()
  feed.leave()
  expect(noted).toEqual([undefined, { task: 2 }])
  const parts = (await eventsOf(shared, session)).flatMap((event) => (event.type === 'partReceived' ? [event] : []))
  expect(parts.map(({ payload, turnState }) => [payload?.part.text, turnState])).toEqual([
    ['one', 'delegated'],
    ['two', 'delegated'],
    ['three', 'delegated'],
    ['done', 'complete'],
  ])
})

test('notes of one call are not those of another', async () => {
  const shared = testContext()
  const noted: unknown[] = []
  const { sessions } = shared.process({
    async actor({ tools, respond }: ActorContext) {
      const planned = ['a', 'b'].map((name) => ({
        call: { name, args: {}, idempotent: true },
        run: async ({ note, noted: before, approve }: Parameters<Parameters<ActorContext['tool']>[1]>[0]) => {
          noted.push([name, before])
          await note(name)
          return approve({ toolName: name, args: {} })
        },
      }))
      await tools(planned)
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    },
  })
  const session = await sessions.open({ principal: alice })
  const feed = follow(sessions, session)
  await sessions.post(session, said('hello'), alice)
  await feed.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
  const { turn } = await sessions.view(session, alice)
  for (const approvalId of turn?.pendingApprovals ?? []) {
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
  }
  await feed.settled()
  feed.leave()
  expect(noted.slice(0, 2)).toEqual([
    ['a', undefined],
    ['b', undefined],
  ])
  // How often each ran again depends on how quickly the second decision came after the first.
  const again = new Map(noted.slice(2).map((entry) => entry as [string, unknown]))
  expect(Object.fromEntries(again)).toEqual({ a: 'a', b: 'b' })
})
