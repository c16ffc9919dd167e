import { isBeachError, type Frame } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { alice, bob, follow, said, viewer, testContext, type TestContext } from '../host/test-context.test-helper.ts'

function settledTurn(frames: readonly Frame[]): string {
  const settled = frames.find((frame) => frame.kind === 'settled')
  return settled?.turnId ?? ''
}

/** Books only after an approval. */
function booker(ran: string[], expiresAt?: number) {
  return async ({ respond, tool }: ActorContext) => {
    await respond({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
    const approval = { requiresApproval: true, ...(expiresAt !== undefined && { approvalExpiresAt: expiresAt }) }
    const outcome = await tool(
      { name: 'book', args: { flight: 'BA 2043', price: 187 }, ...approval },
      async ({ key }) => {
        ran.push(key)
        return 'booked'
      },
    )
    const text = outcome.outcome === 'ok' ? outcome.value : `${outcome.outcome}: ${outcome.reason}`
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  }
}

type PartFrame = Extract<Frame, { kind: 'part' }>

function partOf(frames: readonly Frame[], partType: string): PartFrame | undefined {
  return frames.find((frame): frame is PartFrame => frame.kind === 'part' && frame.part.metadata.partType === partType)
}

async function asked(there: TestContext, ran: string[], expiresAt?: number) {
  const process = there.process({ booker: booker(ran, expiresAt) })
  const session = await process.sessions.open({ principal: alice })
  const seen = follow(process.sessions, session)
  await process.sessions.post(session, said('book it'), alice)
  await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
  const request = partOf(seen.frames, 'approval-request')?.part.data as { approvalId: string } | undefined
  const approvalId = request?.approvalId ?? ''
  return { ...process, session, seen, approvalId }
}

function answer(frames: readonly Frame[]): string | undefined {
  return partOf(frames, 'response')?.part.text
}

describe('a tool that needs approval', () => {
  test('asks with exactly what it would do, shows a surface for it, and does not run', async () => {
    const ran: string[] = []
    const { seen, session, approvalId, sessions } = await asked(testContext(), ran)
    const turn = (await sessions.view(session, alice)).turn
    expect(partOf(seen.frames, 'approval-request')?.part.data).toEqual({
      approvalId,
      toolName: 'book',
      toolCallId: expect.any(String) as string,
      args: { flight: 'BA 2043', price: 187 },
      handler: 'booker',
      turn: turn?.turnId,
      session,
    })
    expect(JSON.stringify(partOf(seen.frames, 'a2ui-surface')?.part.data)).toContain(approvalId)
    expect(turn).toMatchObject({ turnState: 'suspended', pendingApprovals: [approvalId] })
    expect(ran).toEqual([])
  })

  test('runs once when it is granted, and the turn goes on', async () => {
    const ran: string[] = []
    const { seen, sessions, approvalId } = await asked(testContext(), ran)
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('decided')
    await seen.settled()
    expect(answer(seen.frames)).toBe('booked')
    expect(ran).toHaveLength(1)
  })

  test('does not run when it is denied, and the actor is told why', async () => {
    const ran: string[] = []
    const { seen, sessions, approvalId } = await asked(testContext(), ran)
    await sessions.decide(approvalId, { decision: 'denied', reason: 'too expensive' }, alice)
    await seen.settled()
    expect(answer(seen.frames)).toBe('denied: too expensive')
    expect(ran).toEqual([])
  })

  test('is decided once: of many decisions at the same time one counts', async () => {
    const there = testContext()
    const ran: string[] = []
    const { seen, sessions, approvalId, session } = await asked(there, ran)
    const { sessions: elsewhere } = there.process({ idle: async () => {} })
    const all = await Promise.all([
      sessions.decide(approvalId, { decision: 'granted' }, alice),
      elsewhere.decide(approvalId, { decision: 'denied' }, alice),
      sessions.decide(approvalId, { decision: 'granted' }, alice),
    ])
    expect(all.toSorted()).toEqual(['already', 'already', 'decided'])
    await seen.settled()
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('already')
    const events = (await there.store.read(session, 0)).map((event) => event.data as SessionEvent)
    expect(events.filter((event) => event.type === 'approvalDecided')).toHaveLength(1)
  })

  test('is not found by another caller, nor under another id', async () => {
    const { sessions, approvalId } = await asked(testContext(), [])
    expect(await sessions.decide(approvalId, { decision: 'granted' }, bob)).toBe('notFound')
    expect(await sessions.decide('approval_none', { decision: 'granted' }, alice)).toBe('notFound')
    expect(await sessions.decide(approvalId.slice(0, -1), { decision: 'granted' }, alice)).toBe('notFound')
  })

  test('is still there after every process has died, days later', async () => {
    const there = testContext()
    const ran: string[] = []
    const first = await asked(there, ran)
    first.crash()
    await there.runtime.clock.advance(3 * 24 * 60 * 60 * 1_000)
    const { sessions } = there.process({ booker: booker(ran) })
    const seen = follow(sessions, first.session)
    expect(await sessions.decide(first.approvalId, { decision: 'granted' }, alice)).toBe('decided')
    await seen.settled()
    expect(answer(seen.frames)).toBe('booked')
    expect(ran).toHaveLength(1)
  })

  test('counts as denied when it is not decided in time', async () => {
    const there = testContext()
    const ran: string[] = []
    const expiresAt = there.runtime.clock.now() + 60_000
    const { seen, sessions, approvalId } = await asked(there, ran, expiresAt)
    await there.runtime.clock.advance(60_000)
    await seen.settled()
    expect(answer(seen.frames)).toBe('denied: No decision was made in time.')
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('already')
    expect(ran).toEqual([])
  })

  test('can be cancelled while it waits', async () => {
    const { seen, session, sessions, approvalId } = await asked(testContext(), [])
    expect(await sessions.cancel(session, undefined, alice)).toBe(true)
    await seen.settled()
    expect(seen.frames.at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('already')
  })
})

describe('several tools at once', () => {
  test('run those that may, ask for the others together, and act on each decision as it comes', async () => {
    const there = testContext()
    const ran: string[] = []
    const plan = (name: string, requiresApproval: boolean) => ({
      call: { name, args: { name }, requiresApproval },
      run: async () => {
        ran.push(name)
        return name
      },
    })
    const { sessions } = there.process({
      actor: async ({ respond, tools }) => {
        const outcomes = await tools([plan('pay', true), plan('look', false), plan('post', true)])
        const text = outcomes.map((outcome) => outcome.outcome).join(' ')
        await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    expect(ran).toEqual(['look'])
    const [pay = '', post = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await sessions.decide(post, { decision: 'granted' }, alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.attempt === 1)
    while (ran.length < 2) await new Promise((resolve) => setImmediate(resolve))
    expect(ran).toEqual(['look', 'post'])
    await sessions.decide(pay, { decision: 'denied' }, alice)
    await seen.settled()
    expect(answer(seen.frames)).toBe('denied ok ok')
    expect(ran).toEqual(['look', 'post'])
    const requests = seen.frames.filter(
      (frame) => frame.kind === 'part' && frame.part.metadata.partType === 'approval-request',
    )
    expect(requests).toHaveLength(2)
  })

  test('record the grant of a policy with its name, and run', async () => {
    const there = testContext()
    const { sessions } = there.process({
      actor: async ({ respond, tools }) => {
        const call = { name: 'pay', args: {}, requiresApproval: true, approvedBy: 'small-amounts' }
        const [outcome] = await tools([{ call, run: async () => 'paid' }])
        await respond({ parts: [{ partType: 'response', text: outcome?.outcome ?? '' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(answer(seen.frames)).toBe('ok')
    const events = (await there.store.read(session, 0)).map((event) => event.data as SessionEvent)
    const decided = events.find((event) => event.type === 'approvalDecided')
    expect(decided).toMatchObject({ decision: 'granted', payload: { decidedBy: 'small-amounts' } })
  })
})

describe('a decision', () => {
  test('that comes while another granted call runs is acted on without waiting for the rest', async () => {
    const there = testContext()
    const ran: string[] = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const plan = (name: string) => ({
      call: { name, args: {}, requiresApproval: true },
      run: async () => {
        ran.push(name)
        if (name === 'a') await gate
        return name
      },
    })
    const { sessions } = there.process({
      actor: async ({ respond, tools }) => {
        await tools([plan('a'), plan('b'), plan('c')])
        await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [a = '', b = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await sessions.decide(a, { decision: 'granted' }, alice)
    while (ran.length < 1) await new Promise((resolve) => setImmediate(resolve))
    await sessions.decide(b, { decision: 'granted' }, alice)
    release()
    await there.runtime.clock.advance(60_000)
    expect(ran).toEqual(['a', 'b'])
    expect((await sessions.view(session, alice)).turn).toMatchObject({ turnState: 'suspended' })
  })

  test('is for exactly the call that was shown: another call in its place is asked about anew', async () => {
    const there = testContext()
    const ran: string[] = []
    let call = { name: 'quote', args: { price: 100 } }
    const { sessions } = there.process({
      actor: async ({ respond, tool }) => {
        await tool({ ...call, requiresApproval: true }, async () => ran.push(call.name))
        await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    call = { name: 'transfer', args: { price: 9_999 } }
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended' && frame.step === 1)
    expect(ran).toEqual([])
    const [second = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    expect(second).not.toBe(approvalId)
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('already')
    expect(await sessions.decide(second, { decision: 'granted' }, alice)).toBe('decided')
    await seen.settled()
    expect(ran).toEqual(['transfer'])
    const envelope = await sessions.envelope(session, settledTurn(seen.frames), viewer())
    expect(envelope?.parts.map((part) => part.metadata.partType)).toEqual(['response'])
  })

  test('on what an admin must approve is not the owner’s to make', async () => {
    const there = testContext()
    const { sessions } = there.process({
      actor: async ({ respond, tool }) => {
        const call = { name: 'pay', args: {}, requiresApproval: true, approvalLevel: 'admin' as const }
        await tool(call, async () => 'paid')
        await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('notFound')
    expect(await sessions.decide(approvalId, { decision: 'granted' }, { ...bob, kind: 'operator' })).toBe('decided')
    await seen.settled()
  })
})

describe('the turn state suspended', () => {
  test.each([
    ['suspended without anything to decide', { parts: [{ partType: 'response', text: 'x' }], turnState: 'suspended' }],
    [
      'a request in a turn that goes on',
      {
        parts: [
          {
            partType: 'approval-request',
            data: { approvalId: 'a', toolName: 't', toolCallId: 'c', args: {}, handler: 'h', turn: 't', session: 's' },
          },
        ],
        turnState: 'complete',
      },
    ],
  ])('is refused for %s', async (_, what) => {
    const there = testContext()
    const problems: unknown[] = []
    const { sessions } = there.process({
      actor: async ({ respond }) => {
        await respond(what).catch((error: unknown) => problems.push(error))
        await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(problems).toSatisfy(([error]: unknown[]) => isBeachError(error, 'INVALID_STATE'))
  })
})
