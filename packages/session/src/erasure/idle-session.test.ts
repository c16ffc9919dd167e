import type { Slice } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { alice, eventsOf, follow, said, testContext } from '../host/test-context.test-helper.ts'

test('a session that was idle long enough is closed, and its log is dropped', async () => {
  const here = testContext()
  const { clock } = here.runtime
  const { sessions } = here.process({
    answer: ({ respond }) => respond({ parts: [{ partType: 'response', text: 'hello' }], turnState: 'complete' }),
  })
  const session = await sessions.open({ principal: alice })
  expect(await sessions.activity(session)).toMatchObject({ isEmpty: true, isBusy: false, pendingApprovals: [] })
  await clock.advance(1_000)
  const seen = follow(sessions, session)
  await sessions.post(session, said('hi'), alice)
  await seen.settled()
  seen.leave()
  await clock.advance(1_000)
  await sessions.recordCall(session, { callId: 'c', name: 'look', args: {} }, alice)
  const lastAt = clock.now()
  expect(await sessions.activity(session)).toMatchObject({ isEmpty: false, isBusy: false, lastAt })
  expect(await sessions.closeIdle(session, lastAt)).toBe(false)
  await sessions.dropClosed(session)
  expect(await eventsOf(here, session)).not.toEqual([])
  expect(await sessions.closeIdle(session, lastAt + 1)).toBe(true)
  await sessions.dropClosed(session)
  expect(await eventsOf(here, session)).toEqual([])
  expect(await sessions.activity(session)).toBeUndefined()
})

test('a session that waits for a decision is busy, and is not closed', async () => {
  const here = testContext()
  const payer = async ({ tool }: ActorContext) => {
    await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
  }
  const { sessions } = here.process({ payer })
  const session = await sessions.open({ principal: alice })
  const seen = follow(sessions, session)
  await sessions.post(session, said('pay'), alice)
  await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
  const pendingApprovals = (await sessions.view(session, alice)).turn?.pendingApprovals
  expect(pendingApprovals).toHaveLength(1)
  expect(await sessions.activity(session)).toMatchObject({ isBusy: true, pendingApprovals })
  expect(await sessions.closeIdle(session, Infinity)).toBe(false)
})

test('a session that another process uses while it is being closed stays, though nothing is under way in it', async () => {
  const here = testContext()
  const append = here.store.append.bind(here.store)
  let meanwhile = async () => {}
  here.store.append = async (...given) => {
    const happen = meanwhile
    meanwhile = async () => {}
    await happen()
    return append(...given)
  }
  const idle = async () => {}
  const [{ sessions }, other] = [here.process({ idle }), here.process({ idle })]
  const session = await sessions.open({ principal: alice })
  meanwhile = () => other.sessions.recordCall(session, { callId: 'c', name: 'look', args: {} }, alice)
  expect(await sessions.closeIdle(session, Infinity)).toBe(false)
  expect((await eventsOf(here, session)).map(({ type }) => type)).not.toContain('dataErased')
})

test('a session is busy, and is not closed, while a slice needs what was said in it', async () => {
  const here = testContext()
  const form: Slice<object> = { ns: 'form', version: 1, initial: {}, fold: (state) => state, neededSince: () => 5 }
  const { sessions } = here.process({ idle: async () => {} }, { slices: [form] })
  const session = await sessions.open({ principal: alice })
  expect(await sessions.activity(session)).toMatchObject({ isBusy: true })
  expect(await sessions.closeIdle(session, Infinity)).toBe(false)
})

test('what follows the logs is told of each change, and that a session is gone', async () => {
  const changed: string[] = []
  const onChange = (session: string) => void changed.push(session)
  const { sessions } = testContext().process({ idle: async () => {} }, { onChange })
  const session = await sessions.open({ principal: alice })
  expect(changed).toEqual([session])
  expect(await sessions.closeIdle(session, Infinity)).toBe(true)
  expect(changed).toHaveLength(2)
  await sessions.dropClosed(session)
  expect(changed).toHaveLength(3)
})
