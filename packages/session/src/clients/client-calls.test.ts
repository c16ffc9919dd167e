import type { Frame, Originator } from '@cool-ai/beach-core'
import type { ClientOffer, ClientTool } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import type { SessionTurnManager } from '../host/session-turn-manager.ts'
import { alice, bob, eventsOf, eventually, testContext, type TestContext } from '../host/test-context.test-helper.ts'

const page: Originator = {
  id: 'page:alice',
  transport: 'agui',
  deliveryClass: 'streaming',
  principal: alice,
  toolCalls: 'names',
}
const tool = (name: string): ClientTool => ({ name, description: `Does ${name}.`, parameters: { type: 'object' } })
const paint: ClientOffer = { tools: [tool('paint')] }

/** Has the client paint, and says what came of it. */
const painter = async ({ respond, callClient }: ActorContext) => {
  await respond({ parts: [{ partType: 'ack', text: 'I paint.' }], turnState: 'awaiting' })
  const outcome = await callClient('paint', { colour: 'red' })
  const text = outcome.outcome === 'ok' ? String(outcome.value) : `${outcome.outcome}: ${outcome.reason}`
  await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
}

function watched(sessions: SessionTurnManager, session: string, to: Originator = page) {
  const end = new AbortController()
  const frames: Frame[] = []
  const done = (async () => {
    for await (const frame of sessions.follow(session, to, '0', end.signal)) frames.push(frame)
  })()
  done.catch(() => {})
  const calls = () => frames.filter((frame) => frame.kind === 'call')
  return {
    frames,
    calls,
    leave: () => end.abort(),
    waiting: () => eventually(() => frames.some((frame) => frame.kind === 'turn' && frame.waitsForClient === true)),
    settled: () => eventually(() => frames.some((frame) => frame.kind === 'settled')),
    answer: () =>
      frames.flatMap((frame) => (frame.kind === 'part' && frame.turnState === 'complete' ? frame.part.text : [])),
  }
}

async function calling(
  there: TestContext,
  actor: (turn: ActorContext) => Promise<void> = painter,
  offer: ClientOffer = paint,
) {
  const process = there.process({ actor })
  const { sessions } = process
  const session = await sessions.open({ principal: alice })
  const seen = watched(sessions, session)
  const parts = [{ text: 'go', metadata: { partType: 'message' } }]
  await sessions.post(session, { parts, from: page, offer }, alice)
  const answer = (callId: string, value: unknown, outcome: 'ok' | 'failed' = 'ok', from = page, by = alice) =>
    sessions.answerCalls(session, [{ callId, outcome, value }], from, by)
  return { ...process, session, seen, answer, offer: (next: ClientOffer) => sessions.offer(session, page, next, alice) }
}

describe('a tool that a client runs', () => {
  test('is called with its arguments, and its turn goes on with the result', async () => {
    const { seen, answer } = await calling(testContext())
    await seen.waiting()
    const [call] = seen.calls()
    expect(call).toMatchObject({ name: 'paint', args: { colour: 'red' }, client: 'page:alice' })
    expect(await answer(call?.callId ?? '', 'painted')).toEqual(['taken'])
    await seen.settled()
    expect(seen.answer()).toEqual(['painted'])
  })

  test('may fail, and the actor is told why', async () => {
    const { seen, answer } = await calling(testContext())
    await seen.waiting()
    await answer(seen.calls()[0]?.callId ?? '', 'No paint left.', 'failed')
    await seen.settled()
    expect(seen.answer()).toEqual(['failed: No paint left.'])
  })

  test('is waited for by the next process, and by no process meanwhile', async () => {
    const there = testContext()
    const { seen, session, crash } = await calling(there)
    await seen.waiting()
    crash()
    await there.runtime.clock.advance(60_000)
    const { sessions } = there.process({ actor: painter })
    await there.runtime.clock.advance(60_000)
    const callId = seen.calls()[0]?.callId ?? ''
    expect((await sessions.view(session, alice)).inFlight).toMatchObject([{ kind: 'tool', id: callId, name: 'paint' }])
    const again = watched(sessions, session)
    expect(await sessions.answerCalls(session, [{ callId, outcome: 'ok', value: 'later' }], page, alice)).toEqual([
      'taken',
    ])
    await again.settled()
    expect(again.answer()).toEqual(['later'])
    // It was called once.
    expect(again.calls()).toHaveLength(1)
  })

  test('that is not run in time has failed', async () => {
    const there = testContext()
    const { seen, answer } = await calling(there, painter, { ...paint, timeoutMs: 30_000 })
    await seen.waiting()
    const { callId = '', expiresAt } = seen.calls()[0] ?? {}
    expect(expiresAt).toBe(there.runtime.clock.now() + 30_000)
    await there.runtime.clock.advance(29_000)
    expect(seen.answer()).toEqual([])
    await there.runtime.clock.advance(2_000)
    await seen.settled()
    expect(seen.answer()).toEqual(['failed: The client has not run it in time.'])
    expect(await answer(callId, 'late')).toEqual(['over'])
  })

  test('that no client offers has failed, also when the turn runs again', async () => {
    const there = testContext()
    const actor = async ({ respond, callClient }: ActorContext) => {
      const [none, some] = [await callClient('dance', {}), await callClient('paint', {})]
      await respond({
        parts: [{ partType: 'response', text: `${none.outcome} ${some.outcome}` }],
        turnState: 'complete',
      })
    }
    const { seen, answer, offer } = await calling(there, actor)
    await seen.waiting()
    // What is offered now does not change what was not offered then.
    await offer({ tools: [tool('dance')] })
    await answer(seen.calls()[1]?.callId ?? '', 1)
    await seen.settled()
    expect(seen.answer()).toEqual(['failed ok'])
  })

  test.each(['leaves', 'is erased'])('has failed when its client %s', async (how) => {
    const { seen, sessions, session } = await calling(testContext())
    await seen.waiting()
    if (how === 'leaves') await sessions.leave(session, 'page:alice', alice)
    else await sessions.erase(session, { scope: 'originators', originatorIds: ['page:alice'] }, alice)
    await eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    const after: Frame[] = []
    for await (const frame of sessions.history(session, page, '0')) after.push(frame)
    expect(JSON.stringify(after)).toContain('failed: The client has left the conversation.')
  })

  test('is cancelled with its turn', async () => {
    const { seen, sessions, session, answer } = await calling(testContext())
    await seen.waiting()
    const callId = seen.calls()[0]?.callId ?? ''
    await sessions.cancel(session, undefined, alice)
    expect(await answer(callId, 'late')).toEqual(['over'])
    await seen.settled()
    expect(await answer(callId, 'late')).toEqual(['over'])
  })
})

describe('the result of a client', () => {
  test('counts once, and only from the client that was called', async () => {
    const there = testContext()
    const { seen, answer, session } = await calling(there, async ({ respond, callClient }) => {
      const outcomes = [await callClient('paint', { n: 1 }), await callClient('paint', { n: 2 })]
      const text = outcomes.map((outcome) => (outcome.outcome === 'ok' ? String(outcome.value) : '')).join()
      await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
    })
    await seen.waiting()
    const first = seen.calls()[0]?.callId ?? ''
    const other = { ...page, id: 'page:other' }
    expect(await answer(first, 'forged', 'ok', other)).toEqual(['notFound'])
    await expect(answer(first, 'forged', 'ok', page, bob)).rejects.toThrow(/no such session/)
    expect(await answer('turn_x.tool0-0', 'nothing')).toEqual(['notFound'])
    expect(await answer(first, 'one')).toEqual(['taken'])
    expect([await answer(first, 'one'), await answer(first, 'two')]).toEqual([['taken'], ['already']])
    await eventually(() => seen.calls().length === 2)
    expect(await answer(seen.calls()[1]?.callId ?? '', 'two')).toEqual(['taken'])
    await seen.settled()
    expect(seen.answer()).toEqual(['one,two'])
    expect((await eventsOf(there, session)).filter(({ type }) => type === 'toolFinished')).toHaveLength(2)
  })

  test('is taken with others at once, the first of two for one call', async () => {
    const { seen, sessions, session } = await calling(testContext())
    await seen.waiting()
    const callId = seen.calls()[0]?.callId ?? ''
    const results = ['one', 'two', 'one'].map((value) => ({ callId, outcome: 'ok' as const, value }))
    expect(await sessions.answerCalls(session, results, page, alice)).toEqual(['taken', 'already', 'taken'])
    await seen.settled()
    expect(seen.answer()).toEqual(['one'])
  })

  test('may come while tools of the agent still run', async () => {
    const done = Promise.withResolvers<string>()
    const { seen, answer } = await calling(testContext(), async ({ respond, tools, clientTools }) => {
      const client = clientTools[0]?.client
      const outcomes = await tools<unknown>([
        { call: { name: 'look', args: {} }, run: () => done.promise },
        { call: { name: 'paint', args: {}, client }, run: async () => 'never' },
      ])
      const text = outcomes
        .map((outcome) => (outcome.outcome === 'ok' ? String(outcome.value) : outcome.outcome))
        .join()
      await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
    })
    await eventually(() => seen.calls().length === 2)
    const call = seen.calls().find(({ name }) => name === 'paint')
    expect(await answer(call?.callId ?? '', 'painted')).toEqual(['taken'])
    done.resolve('seen')
    await seen.settled()
    expect(seen.answer()).toEqual(['seen,painted'])
  })

  test('and an approval are waited for together, in either order', async () => {
    for (const order of ['result first', 'decision first']) {
      const { seen, answer, sessions, session } = await calling(
        testContext(),
        async ({ respond, tools, clientTools }) => {
          const outcomes = await tools<unknown>([
            { call: { name: 'pay', args: {}, requiresApproval: true }, run: async () => 'paid' },
            { call: { name: 'paint', args: {}, client: clientTools[0]?.client }, run: async () => 'never' },
          ])
          const text = outcomes
            .map((outcome) => (outcome.outcome === 'ok' ? String(outcome.value) : outcome.outcome))
            .join()
          await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
        },
      )
      await eventually(async () => ((await sessions.view(session, alice)).turn?.pendingApprovals.length ?? 0) > 0)
      const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
      const callId = seen.calls()[0]?.callId ?? ''
      const steps = [() => answer(callId, 'painted'), () => sessions.decide(approvalId, { decision: 'granted' }, alice)]
      for (const step of order === 'result first' ? steps : steps.toReversed()) await step()
      await seen.settled()
      expect([order, seen.answer()]).toEqual([order, ['paid,painted']])
    }
  })
})

describe('a client tool that needs an approval', () => {
  const asking = async ({ respond, tools, clientTools }: ActorContext) => {
    const call = { name: 'paint', args: { colour: 'red' }, client: clientTools[0]?.client, requiresApproval: true }
    const [outcome] = await tools<unknown>([{ call, run: async () => 'never' }])
    const text = outcome?.outcome === 'ok' ? String(outcome.value) : `${outcome?.outcome}: ${outcome?.reason}`
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  }

  async function asked(there: TestContext) {
    const process = await calling(there, asking)
    const { sessions, session } = process
    const pending = async () => (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await eventually(async () => (await pending()).length > 0)
    const [approvalId = ''] = await pending()
    const decide = (decision: 'granted' | 'denied') => sessions.decide(approvalId, { decision, via: 'test' }, alice)
    return { ...process, decide }
  }

  test('is called once it is granted, and not before', async () => {
    const { seen, decide, answer } = await asked(testContext())
    expect(seen.calls()).toEqual([])
    await decide('granted')
    await seen.waiting()
    expect(seen.calls()).toMatchObject([{ name: 'paint', client: 'page:alice' }])
    await answer(seen.calls()[0]?.callId ?? '', 'painted')
    await seen.settled()
    expect(seen.answer()).toEqual(['painted'])
  })

  test('is never called when it is denied', async () => {
    const { seen, decide } = await asked(testContext())
    await decide('denied')
    await seen.settled()
    expect([seen.calls(), seen.answer()]).toEqual([[], ['denied: This was not approved.']])
  })
})

describe('what clients offer', () => {
  test('is on record when it changes, and the turn goes on with the latest of it', async () => {
    const there = testContext()
    const seenBy: unknown[] = []
    const actor = async (turn: ActorContext) => {
      seenBy.push([turn.clientTools.map(({ name }) => name), turn.clientState])
      return painter(turn)
    }
    const { seen, session, offer, answer } = await calling(there, actor, { ...paint, state: { page: 1 } })
    await seen.waiting()
    await offer({ ...paint, state: { page: 1 } })
    const next = { tools: [tool('paint'), tool('dance')], state: { page: 2 } }
    await offer(next)
    await offer(next)
    await answer(seen.calls()[0]?.callId ?? '', 'painted')
    await seen.settled()
    expect(seenBy).toEqual([
      [['paint'], { page: 1 }],
      [['paint', 'dance'], { page: 2 }],
    ])
    const offered = (await eventsOf(there, session)).filter(({ type }) => type === 'clientOffered')
    expect(offered).toMatchObject([
      { originatorId: 'page:alice', payload: { tools: { offered: paint.tools }, state: { value: { page: 1 } } } },
      { originatorId: 'page:alice', payload: { tools: { offered: next.tools }, state: { value: { page: 2 } } } },
    ])
  })

  test('is for turns that answer messages of that client, and can be taken back', async () => {
    const there = testContext()
    const offers: unknown[] = []
    const actor = async ({ clientTools, clientState, respond }: ActorContext) => {
      offers.push([clientTools.length, clientState])
      await respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' })
    }
    const { sessions } = there.process({ actor })
    const session = await sessions.open({ principal: alice })
    const parts = [{ text: 'go', metadata: { partType: 'message' } }]
    const say = async (from: Originator, offer?: ClientOffer) => {
      const before = offers.length
      await sessions.post(session, { parts, from, offer }, alice)
      await eventually(() => offers.length > before)
      await eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    }
    await say(page, { ...paint, state: 'shown' })
    await say(page)
    await say({ ...page, id: 'mail:alice' })
    await say(page, { tools: [] })
    await say(page, { tools: [] })
    expect(offers).toEqual([
      [1, 'shown'],
      [1, 'shown'],
      [0, undefined],
      [0, undefined],
      [0, undefined],
    ])
    expect((await eventsOf(there, session)).filter(({ type }) => type === 'clientOffered')).toHaveLength(2)
  })

  test('and what they have answered is erased with their data', async () => {
    const there = testContext()
    const { seen, sessions, session, answer } = await calling(there, painter, { ...paint, state: 'my secret' })
    await seen.waiting()
    await answer(seen.calls()[0]?.callId ?? '', 'my secret')
    await seen.settled()
    expect(JSON.stringify(await eventsOf(there, session))).toMatch(/page:alice.*my secret/)
    await sessions.erase(session, { scope: 'originators', originatorIds: ['page:alice'] }, alice)
    const left = (await eventsOf(there, session)).filter(({ type }) => type !== 'partReceived')
    expect(JSON.stringify(left)).not.toMatch(/page:alice|my secret|Does paint/)
  })
})

describe('of tools a listener is shown', () => {
  const looker = async ({ respond, tool: run }: ActorContext) => {
    await run({ name: 'look', args: { password: 'p4ss' } }, async () => 'a secret')
    await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
  }
  const call = { kind: 'call', name: 'look' }
  const result = { kind: 'result', outcome: 'ok' }

  test.each([
    [
      'full',
      [
        { ...call, args: { password: 'p4ss' } },
        { ...result, value: 'a secret' },
      ],
    ],
    ['names', [call, result]],
    ['off', []],
    [undefined, []],
  ] as const)('%s', async (toolCalls, expected) => {
    const { sessions, session, seen } = await calling(testContext(), looker)
    await seen.settled()
    const { toolCalls: _, ...to } = page
    const other = { ...to, id: 'other', ...(toolCalls && { toolCalls }) }
    const live = watched(sessions, session, other)
    await live.settled()
    const past: Frame[] = []
    for await (const frame of sessions.history(session, other, '0')) past.push(frame)
    for (const frames of [live.frames, past]) {
      const shown = frames.filter(({ kind }) => kind === 'call' || kind === 'result')
      expect(shown).toMatchObject(expected)
      expect(shown).toHaveLength(expected.length)
      if (toolCalls !== 'full') expect(JSON.stringify(shown)).not.toMatch(/p4ss|secret/)
    }
  })

  test('what its own client runs, in full', async () => {
    const { sessions, session, seen, answer } = await calling(testContext())
    await seen.waiting()
    await answer(seen.calls()[0]?.callId ?? '', 'painted')
    await seen.settled()
    const shownTo = async (to: Originator) => {
      const frames: Frame[] = []
      for await (const frame of sessions.history(session, to, '0')) frames.push(frame)
      return frames.filter(({ kind }) => kind === 'call' || kind === 'result')
    }
    const own = [{ args: { colour: 'red' } }, { value: 'painted' }]
    expect(await shownTo({ ...page, toolCalls: 'off' })).toMatchObject(own)
    expect(await shownTo({ ...page, id: 'other', toolCalls: 'off' })).toEqual([])
    expect(JSON.stringify(await shownTo({ ...page, id: 'other' }))).not.toMatch(/red|painted/)
  })
})
