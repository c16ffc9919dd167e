import {
  PartTypeRegistry,
  StateMachineRegistry,
  type Frame,
  type Originator,
  type Principal,
} from '@cool-ai/beach-core'
import { EnvelopeStream } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import type { SessionTurnManager, SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import { alice, follow, said, viewer, testContext, type TestContext } from '../host/test-context.test-helper.ts'

type DecisionFrame = Extract<Frame, { kind: 'decision' }>

const decisions = (frames: readonly Frame[]) =>
  frames.filter((frame): frame is DecisionFrame => frame.kind === 'decision')

async function all(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const list: Frame[] = []
  for await (const frame of frames) list.push(frame)
  return list
}

function booker(approval: { approvalExpiresAt?: number; approvedBy?: string }, args: () => object = () => ({})) {
  return async ({ respond, tool }: ActorContext) => {
    const { outcome } = await tool({ name: 'book', args: args(), requiresApproval: true, ...approval }, async () => 1)
    await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
  }
}

async function asked(there: TestContext, actor = booker({}), options: Partial<SessionTurnManagerOptions> = {}) {
  const process = there.process({ booker: actor }, options)
  const session = await process.sessions.open({ principal: alice })
  const seen = follow(process.sessions, session)
  await process.sessions.post(session, said('book it'), alice)
  await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
  return { ...process, session, seen, approvalId: await pending(process.sessions, session) }
}

async function pending(sessions: SessionTurnManager, session: string): Promise<string> {
  const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
  return approvalId
}

describe('what is decided is told', () => {
  test.each(['granted', 'denied'] as const)('to all followers, in every process: %s', async (decision) => {
    const there = testContext()
    const { sessions, session, seen, approvalId } = await asked(there)
    const elsewhere = there.process({ booker: booker({}) })
    const other = follow(elsewhere.sessions, session)
    await elsewhere.sessions.decide(approvalId, { decision, reason: 'a secret' }, alice)
    await Promise.all([seen.settled(), other.settled()])
    const { turnId } = decisions(seen.frames)[0] ?? {}
    const reported = { kind: 'decision', cursor: expect.any(String) as string, turnId, approvalId, outcome: decision }
    expect(decisions(seen.frames)).toEqual([{ ...reported, by: 'user', at: there.runtime.clock.now() }])
    expect(decisions(other.frames)).toEqual(decisions(seen.frames))
    expect(decisions(await all(sessions.history(session, viewer())))).toEqual(decisions(seen.frames))
    // Neither who exactly decided nor why.
    expect(JSON.stringify(decisions(seen.frames))).not.toMatch(/alice|secret/)
    seen.leave()
    other.leave()
  })

  test('by the kind of principal that decided', async () => {
    const { sessions, seen, approvalId } = await asked(testContext())
    const operator: Principal = { kind: 'operator', id: 'olga', tenant: 'acme' }
    await sessions.decide(approvalId, { decision: 'granted' }, operator)
    await seen.settled()
    expect(decisions(seen.frames)).toMatchObject([{ outcome: 'granted', by: 'operator' }])
    seen.leave()
  })

  test('when it was time that decided', async () => {
    const there = testContext()
    const expiresAt = there.runtime.clock.now() + 1_000
    const { seen, approvalId } = await asked(there, booker({ approvalExpiresAt: expiresAt }))
    await there.runtime.clock.advance(1_500)
    await seen.settled()
    expect(decisions(seen.frames)).toMatchObject([{ approvalId, outcome: 'expired' }])
    expect(decisions(seen.frames)[0]).not.toHaveProperty('by')
    seen.leave()
  })

  test('when what was asked has changed since', async () => {
    const there = testContext()
    let price = 1
    const first = await asked(
      there,
      booker({}, () => ({ price })),
    )
    first.crash()
    price = 2
    const second = there.process({ booker: booker({}, () => ({ price })) })
    await second.sessions.decide(first.approvalId, { decision: 'granted' }, alice)
    const seen = follow(second.sessions, first.session)
    await there.runtime.clock.advance(60_000)
    await seen.until((frame) => frame.kind === 'decision' && frame.outcome === 'void')
    const reported = decisions(seen.frames).map(({ approvalId, outcome }) => [approvalId, outcome])
    expect(reported).toEqual([
      [first.approvalId, 'granted'],
      [first.approvalId, 'void'],
    ])
    const stream = new EnvelopeStream()
    for (const frame of [...seen.frames, ...seen.frames]) stream.apply(frame)
    expect([...stream.approvals]).toEqual([[first.approvalId, 'void']])
    seen.leave()
  })

  test('not when a policy granted it without an approver', async () => {
    const { sessions } = testContext().process({ booker: booker({ approvedBy: 'policy:small' }) })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('book it'), alice)
    await seen.settled()
    expect(decisions(seen.frames)).toEqual([])
    seen.leave()
  })

  test('not to listeners that may not see the request', async () => {
    const partTypes = PartTypeRegistry.canonical()
    partTypes.amend('approval-request', { allowedTransports: ['sse'] })
    const { sessions, session, seen, approvalId } = await asked(testContext(), booker({}), { partTypes })
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
    await seen.settled()
    const a2a: Originator = { ...viewer(), transport: 'a2a' }
    expect(decisions(await all(sessions.history(session, viewer())))).toHaveLength(1)
    expect(decisions(await all(sessions.history(session, a2a)))).toEqual([])
    seen.leave()
  })
})

describe('the state of the session is told', () => {
  const stateMachines = new StateMachineRegistry()
  stateMachines.register({
    components: {
      trip: {
        allowHandlerTransitions: true,
        coordinates: {
          stage: { initial: 'idea', transitions: { idea: ['priced'], priced: ['booked'], booked: [] } },
          mood: { initial: 'calm', transitions: { calm: ['keen'], keen: [] } },
        },
      },
    },
  })
  const next: Record<string, string> = { idea: 'priced', priced: 'booked' }

  const mover = async ({ respond, view }: ActorContext) => {
    const stage = view.coordinates['trip.stage'] ?? ''
    const data = { 'trip.stage': next[stage] ?? '' }
    await respond({
      parts: [
        { partType: 'setState', data },
        { partType: 'response', text: 'Moved.' },
      ],
      turnState: 'complete',
    })
  }
  const states = (frames: readonly Frame[]) =>
    frames.flatMap((frame) => (frame.kind === 'state' ? [frame.coordinates['trip.stage']] : []))

  test('whole at the start of a stream, and whole whenever something moves', async () => {
    const { sessions } = testContext().process({ mover }, { stateMachines })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('one'), alice)
    await seen.settled()
    const [first, moved] = seen.frames.filter((frame) => frame.kind === 'state')
    expect(seen.frames[0]).toBe(first)
    expect(first).toEqual({ kind: 'state', seq: 1, coordinates: { 'trip.stage': 'idea', 'trip.mood': 'calm' } })
    expect(moved).toMatchObject({
      cursor: String(moved?.seq),
      turnId: expect.any(String) as string,
      coordinates: { 'trip.stage': 'priced', 'trip.mood': 'calm' },
    })
    seen.leave()
  })

  test('as it is now to later listeners, without what it was in between', async () => {
    const there = testContext()
    const { sessions } = there.process({ mover }, { stateMachines })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('one'), alice)
    await seen.settled()
    const cursor = seen.frames.findLast((frame) => frame.cursor !== undefined)?.cursor
    await sessions.post(session, said('two'), alice)
    await seen.until((frame) => frame.kind === 'state' && frame.coordinates['trip.stage'] === 'booked')
    expect(states(await all(sessions.history(session, viewer())))).toEqual(['booked'])
    expect(states(await all(sessions.history(session, viewer(), cursor)))).toEqual(['booked'])
    const late = follow(there.process({ mover }, { stateMachines }).sessions, session, cursor)
    await late.settled()
    expect(states(late.frames)).toEqual(['booked'])
    for (const item of [seen, late]) item.leave()
  })

  test('not by agents without state machines', async () => {
    const { sessions } = testContext().process({ booker: booker({ approvedBy: 'policy' }) })
    const session = await sessions.open({ principal: alice })
    expect((await all(sessions.history(session, viewer()))).map(({ kind }) => kind)).toEqual([])
  })
})
