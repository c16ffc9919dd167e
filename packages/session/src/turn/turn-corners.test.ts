import { BeachError, TurnStateRegistry, type Actor, type Store } from '@cool-ai/beach-core'
import type { PastTurn, PlannedTool, ToolRun } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { contents, postbox, reader } from '../delivery/postbox.test-helper.ts'
import { handWork } from '../manifests/works.test-helper.ts'
import { defineActor, type ActorContext } from './function-actor.ts'
import {
  alice,
  eventsOf,
  eventually,
  follow,
  processView,
  said,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'

const answer = (text: string) => ({ parts: [{ partType: 'response', text }], turnState: 'complete' })

async function begun(there: TestContext, actor: Actor, options: Parameters<TestContext['process']>[1] = {}) {
  const { sessions } = there.process({ actor }, options)
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  const has = (type: string) =>
    eventually(async () => (await eventsOf(there, session)).some((event) => event.type === type))
  return { sessions, session, has }
}

describe('an actor that rejects as soon as it is stopped', () => {
  const actor: Actor = {
    run: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('its client was aborted')))),
  }

  test('leaves its turn to the next process when this one ends', async () => {
    const there = testContext()
    const { sessions, session, has } = await begun(there, actor)
    await has('turnStarted')
    await sessions.stop()
    const types = (await eventsOf(there, session)).map((event) => event.type)
    expect(types).not.toContain('turnSettled')
  })

  test('is cancelled, and has not failed, when its turn is cancelled', async () => {
    const there = testContext()
    const { sessions, session, has } = await begun(there, actor)
    await has('turnStarted')
    await sessions.cancel(session, undefined, alice)
    await has('turnSettled')
    expect((await eventsOf(there, session)).at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
  })
})

describe('text that an actor has shown and not committed', () => {
  const live = { index: 0, partType: 'response', delta: 'Half an ans' }

  test('is taken back from viewers when the actor begins again', async () => {
    const there = testContext()
    let continueCall = () => {}
    const { sessions, session } = await begun(there, {
      run: async (turn) => {
        turn.live(live)
        await new Promise<void>((resolve) => (continueCall = resolve))
        turn.retract()
        await new Promise<void>(() => {})
      },
    })
    const seen = follow(sessions, session)
    await seen.until(({ kind }) => kind === 'delta')
    continueCall()
    await seen.until(({ kind }) => kind === 'retract')
  })

  test('is taken back from viewers when the actor fails and is to be run again', async () => {
    const there = testContext()
    let fail = () => {}
    const run: Actor['run'] = async (turn) => {
      turn.live(live)
      await new Promise((_, reject) => (fail = () => reject(new Error('no'))))
    }
    const { sessions, session } = await begun(there, { run }, { retryFailed: () => 1_000 })
    const seen = follow(sessions, session)
    await seen.until(({ kind }) => kind === 'delta')
    fail()
    await seen.until(({ kind }) => kind === 'retract')
  })

  test('is taken back from viewers when the actor fails for good', async () => {
    const there = testContext()
    let fail = () => {}
    const { sessions, session } = await begun(there, {
      run: async (turn) => {
        turn.live(live)
        await new Promise((_, reject) => (fail = () => reject(new Error('no'))))
      },
    })
    const seen = follow(sessions, session)
    await seen.until(({ kind }) => kind === 'delta')
    fail()
    await seen.settled()
    expect(seen.frames.map(({ kind }) => kind)).toContain('retract')
  })
})

describe('a result that comes before its actor lets go of the turn', () => {
  test('brings the actor back at once', async () => {
    const there = testContext()
    const turnStates = TurnStateRegistry.canonical()
    turnStates.register({ id: 'ta.researching', isTerminal: false, emitsEnvelope: false, holdsActor: false })
    let session = ''
    const run = defineActor(
      async ({ manifest, tool, respond }) => {
        await manifest({ name: 'quick', slots: { a: { work: 'quick' } } })
        const isThere = async () => (await eventsOf(there, session)).some((event) => event.type === 'slotFilled')
        await tool({ name: 'think', args: 1 }, () => eventually(isThere))
        await respond({ parts: [{ partType: 'thinking', text: 'later' }], turnState: 'ta.researching' })
        await respond(answer('done'))
      },
      { works: { quick: { run: async () => 1 } } },
    )
    const { sessions } = there.process({ run }, { turnStates })
    session = await sessions.open({ principal: alice })
    await sessions.post(session, said('go'), alice)
    await eventually(async () => (await eventsOf(there, session)).some((event) => event.type === 'turnSettled'))
    expect((await eventsOf(there, session)).at(-1)).toMatchObject({ turnState: 'complete' })
  })
})

test.each([
  ['has had', 'waits for the next one', 1],
  ['has not had', 'is run again at once', 0],
])('an actor that lets go of its turn, and %s the first result, %s', async (_, __, released) => {
  const there = testContext()
  const turnStates = TurnStateRegistry.canonical()
  turnStates.register({ id: 'ta.researching', isTerminal: false, emitsEnvelope: false, holdsActor: false })
  const work = handWork()
  let [runs, session] = [0, '']
  const isFilled = async () => (await eventsOf(there, session)).some(({ type }) => type === 'slotFilled')
  const actor: Actor = {
    works: { find: work.work },
    async run(turn) {
      if (runs++ > 0) return turn.commit({ ...answer('done'), turnState: 'complete', hash: 'done' })
      await turn.manifest({ name: 'both', slots: { a: { work: 'find', args: 'a' }, b: { work: 'find', args: 'b' } } })
      if (released === 1) await turn.injected(0, { wait: true })
      else await eventually(isFilled)
      return turn.commit({ parts: [], turnState: 'ta.researching', hash: 'later' })
    },
  }
  const { sessions } = there.process({ actor }, { turnStates })
  session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  ;(await work.started('a')).finish(1)
  const texts = async () => JSON.stringify(await eventsOf(there, session))
  await eventually(async () => (await texts()).includes('ta.researching'))
  const change = (await eventsOf(there, session)).find(({ type }) => type === 'turnStateChanged')
  expect(change).toMatchObject({ turnState: 'ta.researching', released })
  if (released === 1) (await work.started('b')).finish(2)
  await eventually(async () => (await texts()).includes('turnSettled'))
})

test('an actor that lets go of a turn that began with results is run again by the first result after them', async () => {
  const there = testContext()
  const turnStates = TurnStateRegistry.canonical()
  turnStates.register({ id: 'ta.researching', isTerminal: false, emitsEnvelope: false, holdsActor: false })
  const work = handWork()
  const slots = (...names: string[]) => Object.fromEntries(names.map((args) => [args, { work: 'find', args }]))
  let runs = 0
  const actor: Actor = {
    works: { find: work.work },
    async run(turn) {
      const hash = `run ${runs++}`
      if (runs === 1) await turn.manifest({ name: 'early', slots: slots('a') })
      if (runs === 2) await turn.manifest({ name: 'late', slots: slots('b', 'c') })
      return turn.commit({ parts: [], turnState: runs === 2 ? 'ta.researching' : 'complete', hash })
    },
  }
  const { session } = await begun(there, actor, { turnStates })
  ;(await work.started('a')).finish(1)
  const changes = async () => (await eventsOf(there, session)).filter(({ type }) => type === 'turnStateChanged')
  await eventually(async () => (await changes()).length === 2)
  expect((await changes())[1]).toMatchObject({ turnState: 'ta.researching', released: 0 })
  ;(await work.started('b')).finish(2)
  await eventually(async () => (await changes()).length === 3)
})

test('work whose arguments cannot be read right now is tried again after a second, and has not failed', async () => {
  const there = testContext()
  const view = processView(there.store)
  let failures = 0
  const store = {
    ...view,
    read: async (session: string, after: number, limit?: number) => {
      if (limit === 1 && failures++ === 0) throw new BeachError('STORE_UNAVAILABLE', 'the disk is away')
      return view.read(session, after, limit)
    },
  }
  const actor = defineActor(
    async ({ manifest, respond }) => {
      const { results } = await (await manifest({ name: 'q', slots: { a: { work: 'w' } } })).settled()
      await respond(answer(results.map(({ outcome }) => outcome).join()))
    },
    { works: { w: { run: async () => 1 } } },
  )
  const { session, has } = await begun(there, actor, { store })
  await has('manifestOpened')
  await eventually(() => failures === 1)
  await there.runtime.clock.advance(999)
  expect(failures).toBe(1)
  await there.runtime.clock.advance(1)
  await has('turnSettled')
  const parts = (await eventsOf(there, session)).flatMap((event) => (event.type === 'partReceived' ? [event] : []))
  expect(parts.at(-1)?.payload?.part.text).toBe('ok')
})

test('so is work that goes on after its turn, when nothing else is to be done for the session', async () => {
  const there = testContext()
  const view = processView(there.store)
  let failures = 0
  const store = {
    ...view,
    read: async (session: string, after: number, limit?: number) => {
      if (limit === 1 && failures++ === 0) throw new BeachError('STORE_UNAVAILABLE', 'the disk is away')
      return view.read(session, after, limit)
    },
  }
  const actor = defineActor(
    async ({ text, manifest, respond }) => {
      if (text === 'go') await manifest({ name: 'q', slots: { a: { work: 'w' } } })
      await respond(answer('Later.'))
    },
    { works: { w: { run: async () => 1 } } },
  )
  const { has } = await begun(there, actor, { store })
  await has('turnSettled')
  await eventually(() => failures === 1)
  await there.runtime.clock.advance(999)
  expect(failures).toBe(1)
  await there.runtime.clock.advance(1)
  await has('slotFilled')
})

test('an actor that has not heard yet that its turn is cancelled cannot complete it', async () => {
  const there = testContext()
  const deaf = { next: () => new Promise<never>(() => {}), [Symbol.asyncIterator]: () => deaf }
  const store: Store = { ...processView(there.store), tail: () => deaf }
  const finish = Promise.withResolvers<void>()
  let refused: unknown
  const actor: Actor = {
    async run(turn) {
      await finish.promise
      await turn.commit({ parts: [], turnState: 'complete', hash: 'done' }).catch((error: unknown) => {
        refused = error
        throw error
      })
    },
  }
  const { sessions, session, has } = await begun(there, actor, { store })
  await has('turnStarted')
  await sessions.cancel(session, undefined, alice)
  finish.resolve()
  await has('turnSettled')
  expect(refused).toMatchObject({ code: 'TURN_CLOSED' })
  expect((await eventsOf(there, session)).at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
})

test('what a tool asks for while it runs is void when it asks for something else in its place', async () => {
  const there = testContext()
  let price = 1
  const actor = defineActor(async ({ tools, respond }) => {
    await tools<unknown>([
      {
        call: { name: 'book', args: {}, idempotent: true },
        run: ({ approve }) => approve({ toolName: 'pay', args: { price } }),
      },
      { call: { name: 'other', args: {}, requiresApproval: true }, run: async () => 'ok' },
    ])
    await respond(answer('done'))
  })
  const { sessions, session } = await begun(there, actor)
  const pending = async () => (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
  await eventually(async () => (await pending()).length === 2)
  const first = await pending()
  price = 2
  const isAsked = (id: string) => id.includes('-a0')
  await sessions.decide(first.find((id) => !isAsked(id)) ?? '', { decision: 'granted' }, alice)
  await eventually(async () => (await pending()).some((id) => !first.includes(id)))
  expect(await pending()).toHaveLength(1)
  expect(await sessions.decide(first.find(isAsked) ?? '', { decision: 'granted' }, alice)).toBe('already')
})

test('what two tools ask for while they run waits for its own decision, and for no longer than the tool says', async () => {
  const there = testContext()
  const expiresAt = there.runtime.clock.now() + 60_000
  const asking = (name: string) => ({
    call: { name, args: {}, idempotent: true },
    run: ({ approve }: ToolRun) => approve({ toolName: name, args: {}, expiresAt }),
  })
  const actor = defineActor(async ({ tools, respond }) => {
    await tools<unknown>([asking('fly'), asking('stay')])
    await respond(answer('done'))
  })
  const { sessions, session, has } = await begun(there, actor)
  const view = () => sessions.view(session, alice)
  await eventually(async () => (await view()).turn?.pendingApprovals?.length === 2)
  const approvals = (await view()).inFlight.filter(({ kind }) => kind === 'approval')
  expect(approvals.map(({ until }) => until)).toEqual([expiresAt, expiresAt])
  const [fly, stay] = approvals.map(({ id }) => id)
  expect(await sessions.decide(fly ?? '', { decision: 'granted' }, alice)).toBe('decided')
  await has('toolFinished')
  await eventually(async () => (await view()).turn?.turnState === 'suspended')
  expect(await sessions.decide(stay ?? '', { decision: 'granted' }, alice)).toBe('decided')
  await has('turnSettled')
  const events = await eventsOf(there, session)
  expect(events.map(({ type }) => type)).not.toContain('approvalVoided')
  // The first step has asked, and it is still that one for which the turn waits.
  const waits = events.filter((event) => event.type === 'turnStateChanged' && event.turnState === 'suspended')
  expect(waits).toMatchObject([{ step: 0 }, { step: 0 }])
})

describe('an originator that is pushed to part by part', () => {
  const listener = reader('r', { deliveryClass: 'streaming' })

  test('gets all parts of a long turn, and none of them is given up', async () => {
    const there = testContext()
    const box = postbox()
    const count = 400
    const actor = defineActor(async ({ respond }) => {
      for (let index = 0; index < count; index++) {
        await respond({ parts: [{ partType: 'response', text: `${index}` }], turnState: 'awaiting' })
      }
      await respond(answer('end'))
    })
    const { sessions } = there.process({ actor }, { channels: [box.channel] })
    const session = await sessions.open({ principal: alice })
    await sessions.join(session, listener, alice)
    await sessions.post(session, said('go'), alice)
    const texts = () => box.got('r').flatMap(({ parts }) => parts.map(({ text }) => text))
    await eventually(() => texts().includes('end'))
    expect(new Set(texts()).size).toBe(count + 1)
    expect(texts()).toHaveLength(count + 1)
    expect((await sessions.view(session, alice)).deadLetters).toEqual([])
  })

  test('gets each part at once, however far behind another one is', async () => {
    const there = testContext()
    const box = postbox()
    box.outcome = ({ to }) => (to.id === 'slow' ? new Promise(() => {}) : { status: 'sent' })
    const gate = Promise.withResolvers<void>()
    const actor = defineActor(async ({ respond }) => {
      for (let index = 0; index < 60; index++) {
        await respond({ parts: [{ partType: 'response', text: `${index}` }], turnState: 'awaiting' })
      }
      await gate.promise
      await respond(answer('end'))
    })
    const { sessions } = there.process({ actor }, { channels: [box.channel] })
    const session = await sessions.open({ principal: alice })
    await sessions.join(session, reader('slow', { deliveryClass: 'streaming' }), alice)
    await sessions.join(session, listener, alice)
    await sessions.post(session, said('go'), alice)
    const texts = () => box.got('r').flatMap(({ parts }) => parts.map(({ text }) => text))
    await eventually(() => texts().length === 60)
    gate.resolve()
  })

  test('and leaves and comes back gets what was dropped meanwhile', async () => {
    const there = testContext()
    const box = postbox()
    let hangs = true
    box.outcome = () => (hangs ? new Promise(() => {}) : { status: 'sent' })
    const gate = Promise.withResolvers<void>()
    const actor = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'response', text: 'first' }], turnState: 'awaiting' })
      await gate.promise
      await respond(answer('second'))
    })
    const { sessions } = there.process({ actor }, { channels: [box.channel] })
    const session = await sessions.open({ principal: alice })
    await sessions.join(session, listener, alice)
    await sessions.post(session, said('go'), alice)
    await eventually(() => box.attempts.length === 1)
    await sessions.leave(session, 'r', alice)
    hangs = false
    await sessions.join(session, listener, alice)
    gate.resolve()
    await eventually(() => box.got('r').length > 0)
    expect(box.got('r').map(contents)).toEqual([
      [
        ['response', 'first'],
        ['response', 'second'],
      ],
    ])
  })
})

test('a turn that waits for a decision has not failed, though its actor catches everything', async () => {
  const there = testContext()
  const actor = async ({ tool, respond }: ActorContext) => {
    try {
      await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
      await respond(answer('paid'))
    } catch {
      // As a program does that only logs what went wrong.
    }
  }
  const { sessions } = there.process({ actor })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  const pending = async () => (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
  await eventually(async () => (await pending()).length === 1)
  await there.runtime.clock.advance(1_000)
  const types = async () => (await eventsOf(there, session)).map(({ type }) => type)
  expect(await types()).not.toContain('turnSettled')
  const [approval = ''] = await pending()
  await sessions.decide(approval, { decision: 'granted' }, alice)
  await eventually(async () => (await types()).includes('turnSettled'))
  expect(JSON.stringify(await eventsOf(there, session))).toContain('paid')
})

test('what a tool says is in the log before the tool goes on', async () => {
  const there = testContext()
  const view = processView(there.store)
  const written = Promise.withResolvers<void>()
  let isHeld = false
  const store: Store = {
    ...view,
    append: async (...args) => {
      if (JSON.stringify(args[2]).includes('half done')) {
        isHeld = true
        await written.promise
      }
      return view.append(...args)
    },
  }
  let goesOn = false
  const planned: PlannedTool<void> = {
    call: { name: 'work', args: {} },
    async run({ emit }) {
      await emit([{ partType: 'thinking', text: 'half done' }], 'awaiting', 'half')
      goesOn = true
    },
  }
  const actor = async ({ tools, respond }: ActorContext) => {
    await tools([planned])
    await respond(answer('done'))
  }
  const { sessions } = there.process({ actor }, { store })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  await eventually(() => isHeld)
  for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
  expect(goesOn).toBe(false)
  written.resolve()
  await eventually(() => goesOn)
})

test('an actor gets a message as it was posted, though its sender goes on with the same object', async () => {
  const there = testContext()
  const got = Promise.withResolvers<string>()
  const { sessions } = there.process({
    actor: async ({ text, respond }: ActorContext) => {
      got.resolve(text)
      await respond(answer('done'))
    },
  })
  const session = await sessions.open({ principal: alice })
  const part = { text: 'pay 5', metadata: { partType: 'message' } }
  await sessions.post(session, { ...said(''), parts: [part] }, alice)
  part.text = 'pay 500'
  expect(await got.promise).toBe('pay 5')
})

test('a function actor cannot say nothing, and its note is for the log only', async () => {
  const there = testContext()
  const problems: unknown[] = []
  const actor = defineActor(async ({ respond }) => {
    await respond({ parts: [], turnState: 'awaiting' }).catch((error: unknown) => problems.push(error))
    await respond({ ...answer('Done.'), note: 'for the log' })
  })
  const { sessions, session, has } = await begun(there, actor)
  await has('turnSettled')
  expect(problems).toMatchObject([{ code: 'INVALID_PART', message: expect.stringContaining('at least one part') }])
  const notes = (await eventsOf(there, session)).filter((event) => event.type === 'actorNoted')
  expect(notes).toMatchObject([{ kind: 'note', payload: { value: 'for the log' } }])
  const seen = follow(sessions, session)
  await seen.until((frame) => frame.kind === 'settled')
  seen.leave()
  expect(JSON.stringify(seen.frames)).not.toContain('for the log')
})

test('an actor sees what was said in the turns before, and as many of them as it asks for', async () => {
  const there = testContext()
  const seen: PastTurn[][] = []
  const actor: Actor = {
    async run(turn) {
      expect(turn.actor).toBe('actor')
      for (const max of [0, 1, 5]) seen.push(await turn.history(max))
      const part = { text: `Answer ${seen.length / 3}`, metadata: { partType: 'response' } }
      await turn.commit({ parts: [part], turnState: 'complete', hash: 'answer' })
    },
  }
  const { sessions, session, has } = await begun(there, actor)
  await has('turnSettled')
  for (const n of [2, 3]) {
    await sessions.post(session, said(`message ${n}`), alice)
    await eventually(async () => (await eventsOf(there, session)).filter((e) => e.type === 'turnSettled').length === n)
  }
  const texts = seen.map((turns) =>
    turns.map(({ messages, parts }) =>
      [...messages.flatMap((message) => message.parts), ...parts].map(({ text }) => text),
    ),
  )
  const [first, second] = [
    ['go', 'Answer 1'],
    ['message 2', 'Answer 2'],
  ]
  expect(texts).toEqual([[], [], [], [], [first], [first], [], [second], [first, second]])
})

test('an actor finds what it kept with a step when it is run again', async () => {
  const there = testContext()
  const answers: unknown[] = []
  const actor: Actor = {
    async run(turn) {
      answers.push(turn.committed.map((step) => step.answer))
      if (turn.committed.length === 0) {
        await turn.commit({ parts: [], turnState: 'awaiting', hash: 'one', answer: { kept: 1 } })
        await turn.commit({ parts: [], turnState: 'awaiting', hash: 'two' })
        await new Promise<void>(() => {})
      }
      await turn.commit({ parts: [], turnState: 'complete', hash: 'done' })
    },
  }
  const { sessions, crash } = there.process({ actor })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  await eventually(async () => (await eventsOf(there, session)).filter((e) => e.type === 'stepCommitted').length === 2)
  crash()
  await there.runtime.clock.advance(10_000)
  there.process({ actor })
  await eventually(async () => (await eventsOf(there, session)).some((event) => event.type === 'turnSettled'))
  expect(answers).toEqual([[], [{ kept: 1 }, undefined]])
  const payloads = (await eventsOf(there, session)).flatMap((e) => (e.type === 'stepCommitted' ? ['payload' in e] : []))
  expect(payloads).toEqual([true, false, false])
})

test('an actor cannot let go of a turn that no result would bring back', async () => {
  const there = testContext()
  const turnStates = TurnStateRegistry.canonical()
  turnStates.register({ id: 'ta.researching', isTerminal: false, emitsEnvelope: false, holdsActor: false })
  let refused: unknown
  const actor: Actor = {
    async run(turn) {
      await turn.commit({ parts: [], turnState: 'ta.researching', hash: 'later' }).catch((error) => (refused = error))
      await turn.commit({ parts: [], turnState: 'complete', hash: 'done' })
    },
  }
  const { has } = await begun(there, actor, { turnStates })
  await has('turnSettled')
  expect(refused).toMatchObject({
    code: 'INVALID_STATE',
    message: expect.stringContaining('without its actor') as string,
  })
})
