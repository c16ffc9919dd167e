import { BeachError, isBeachError, type Frame } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { describe, expect, test } from 'vitest'
import type { ActorContext } from '../turn/function-actor.ts'
import { alice, bob, follow, handFed, said, testContext, type TestContext } from './test-context.test-helper.ts'

const echo = async ({ text, respond }: ActorContext) => {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: `You said ${text}.` }], turnState: 'complete' })
}

async function eventsOf({ store }: TestContext, session: string): Promise<SessionEvent[]> {
  return (await store.read(session, 0)).map((event) => event.data as SessionEvent)
}

async function typesOf(there: TestContext, session: string): Promise<string[]> {
  return (await eventsOf(there, session)).map((event) => event.type)
}

/** What a page that got these frames would show. */
function shown(frames: readonly Frame[]): string[] {
  const stream = new EnvelopeStream()
  for (const frame of frames) stream.apply(frame)
  return stream.parts.map((part) => `${part.open ? '…' : ''}${part.partType}: ${part.text}`)
}

/** Time goes on until the lease of a process that has died runs out. */
function takeOver(there: TestContext): Promise<void> {
  return there.runtime.clock.advance(10_000)
}

describe('a turn', () => {
  test('answers a message in two commits and is seen by a follower in order', async () => {
    const there = testContext()
    const { sessions } = there.process({ echo })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('hello'), alice)
    await seen.settled()
    expect(shown(seen.frames)).toEqual(['message: hello', 'ack: I see.', 'response: You said hello.'])
    expect(await typesOf(there, session)).toEqual([
      'sessionOpened',
      'messageReceived',
      'turnStarted',
      'stepCommitted',
      'partReceived',
      'turnStateChanged',
      'stepCommitted',
      'partReceived',
      'turnStateChanged',
      'turnSettled',
    ])
  })

  test('takes the messages that arrived meanwhile into the next turn, in order and once', async () => {
    const there = testContext()
    const received: string[] = []
    const gate = handFed()
    const { sessions } = there.process({
      slow: async ({ text, respond }) => {
        received.push(text)
        const part = received.length === 1 ? { partType: 'response', text: gate.text } : { partType: 'response', text }
        await respond({ parts: [part], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('one'), alice)
    gate.feed('x')
    await seen.until((frame) => frame.kind === 'delta')
    await sessions.post(session, said('two'), alice)
    await sessions.post(session, said('three'), alice)
    gate.end()
    await seen.until((frame) => frame.kind === 'settled')
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'two\nthree' && frame.role === 'agent')
    expect(received).toEqual(['one', 'two\nthree'])
  })

  test('shows text as it flows, and replaces it by the durable part', async () => {
    const there = testContext()
    const flow = handFed()
    const { sessions } = there.process({
      speaker: ({ respond }) => respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' }),
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    flow.feed('Hello ')
    flow.feed('world')
    await seen.until((frame) => frame.kind === 'delta' && frame.text === 'world')
    expect(shown(seen.frames).at(-1)).toBe('…response: Hello world')
    expect(await typesOf(there, session)).not.toContain('partReceived')
    flow.end()
    await seen.settled()
    expect(shown(seen.frames).at(-1)).toBe('response: Hello world')
  })

  test('gives a viewer that joins in mid-text what was said so far, then the rest', async () => {
    const there = testContext()
    const flow = handFed()
    const { sessions } = there.process({
      speaker: ({ respond }) => respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' }),
    })
    const session = await sessions.open({ principal: alice })
    const first = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    flow.feed('Hello ')
    flow.feed('there ')
    await first.until((frame) => frame.kind === 'delta' && frame.text === 'there ')
    const sameProcess = follow(sessions, session)
    await sameProcess.until((frame) => frame.kind === 'delta')
    expect(shown(sameProcess.frames).at(-1)).toBe('…response: Hello there ')

    const { sessions: elsewhere } = there.process({ idle: async () => {} })
    const otherProcess = follow(elsewhere, session)
    await otherProcess.until((frame) => frame.kind === 'delta')
    expect(shown(otherProcess.frames).at(-1)).toBe('…response: Hello there ')

    flow.feed('friend')
    flow.end()
    await Promise.all([sameProcess.settled(), otherProcess.settled()])
    for (const { frames } of [sameProcess, otherProcess]) {
      expect(shown(frames)).toEqual(['message: go', 'response: Hello there friend'])
    }
  })

  test('ends in an error part without the actor’s own words when the actor throws', async () => {
    const there = testContext()
    const { sessions } = there.process({
      broken: async () => {
        throw new Error('password is hunter2')
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(shown(seen.frames).at(-1)).toBe('error: Something went wrong while answering. Please try again.')
    expect(JSON.stringify(await eventsOf(there, session))).not.toContain('hunter2')
  })

  test.each([
    ['an unregistered part type', { parts: [{ partType: 'no.such-type', text: 'x' }], turnState: 'complete' }],
    ['an unregistered turn state', { parts: [{ partType: 'response', text: 'x' }], turnState: 'finished' }],
    ['an approval of its own', { parts: [{ partType: 'approval-response', data: {} }], turnState: 'complete' }],
  ])('refuses %s and stores nothing of that call', async (_, what) => {
    const there = testContext()
    const problems: unknown[] = []
    const { sessions } = there.process({
      wrong: async ({ respond }) => {
        await respond(what).catch((error: unknown) => problems.push(error))
        await respond({ parts: [{ partType: 'response', text: 'better' }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(problems).toHaveLength(1)
    expect(shown(seen.frames)).toEqual(['message: go', 'response: better'])
  })

  test('ends in an error when the actor returns without settling', async () => {
    const there = testContext()
    const { sessions } = there.process({ silent: async () => {} })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(seen.frames.at(-1)).toMatchObject({ kind: 'settled', finalizedBy: 'error' })
  })
})

describe('a crash', () => {
  /** Lets the lease of a dead process run out. */

  test('in mid-text makes the next process start the step anew; viewers replace what they saw', async () => {
    const there = testContext()
    const before = handFed()
    const one = there.process({
      speaker: ({ respond }) =>
        respond({ parts: [{ partType: 'response', text: before.text }], turnState: 'complete' }),
    })
    const session = await one.sessions.open({ principal: alice })
    const seen = follow(one.sessions, session)
    await one.sessions.post(session, said('go'), alice)
    before.feed('Hello wor')
    await seen.until((frame) => frame.kind === 'delta')
    one.crash()

    const after = handFed()
    after.feed('Good ')
    const two = there.process({
      speaker: ({ respond }) => respond({ parts: [{ partType: 'response', text: after.text }], turnState: 'complete' }),
    })
    const stream = [...seen.frames]
    const cursor = stream.findLast((frame) => frame.cursor !== undefined)?.cursor
    const again = follow(two.sessions, session, cursor)
    await takeOver(there)
    await again.until((frame) => frame.kind === 'delta')
    expect(shown([...stream, ...again.frames]).at(-1)).toBe('…response: Good ')
    after.feed('day')
    after.end()
    await again.settled()
    expect(shown([...stream, ...again.frames])).toEqual(['message: go', 'response: Good day'])
    expect(await typesOf(there, session)).toContain('turnResumed')
  })

  test('between two steps repeats neither the committed step nor the finished tool', async () => {
    const there = testContext()
    const ran: string[] = []
    let hang = true
    const actor = async ({ respond, tool }: ActorContext) => {
      await respond({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
      const found = await tool({ name: 'search', args: { q: 1 } }, async ({ key }) => {
        ran.push(key)
        return 'sand'
      })
      if (hang) await new Promise(() => {})
      const text = found.outcome === 'ok' ? found.value : found.reason
      await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
    }
    const one = there.process({ actor })
    const session = await one.sessions.open({ principal: alice })
    await one.sessions.post(session, said('go'), alice)
    await until(async () => (await typesOf(there, session)).includes('toolFinished'))
    one.crash()
    hang = false
    const two = there.process({ actor })
    const seen = follow(two.sessions, session)
    await takeOver(there)
    await seen.settled()
    expect(ran).toHaveLength(1)
    expect(shown(seen.frames)).toEqual(['message: go', 'ack: On it.', 'response: sand'])
  })

  test.each([
    [false, 1, 'The process ended while this tool ran; whether it took effect is not known.'],
    [true, 2, 'done'],
  ])(
    'while a tool runs: with idempotent %s it has run %i times, and the actor is told',
    async (idempotent, runs, text) => {
      const there = testContext()
      const keys: string[] = []
      const actor = async ({ respond, tool }: ActorContext) => {
        const outcome = await tool({ name: 'book', args: {}, idempotent }, ({ key }) => {
          keys.push(key)
          return keys.length === 1 ? new Promise<string>(() => {}) : Promise.resolve('done')
        })
        const reported = outcome.outcome === 'ok' ? outcome.value : outcome.reason
        await respond({ parts: [{ partType: 'response', text: reported }], turnState: 'complete' })
      }
      const one = there.process({ actor })
      const session = await one.sessions.open({ principal: alice })
      await one.sessions.post(session, said('go'), alice)
      await until(async () => keys.length === 1)
      one.crash()
      const two = there.process({ actor })
      const seen = follow(two.sessions, session)
      await takeOver(there)
      await seen.settled()
      expect(keys).toHaveLength(runs)
      expect(new Set(keys).size).toBe(1)
      expect(shown(seen.frames).at(-1)).toBe(`response: ${text}`)
    },
  )

  test('while a tool talks does not make it say the same again', async () => {
    const there = testContext()
    let hang = true
    const actor = async ({ respond, tool }: ActorContext) => {
      await tool({ name: 'research', args: {}, idempotent: true }, async ({ emit }) => {
        await emit([{ partType: 'progress', data: { label: 'first', done: 1, total: 2 } }])
        if (hang) await new Promise(() => {})
        await emit([{ partType: 'progress', data: { label: 'second', done: 2, total: 2 } }])
      })
      await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
    }
    const one = there.process({ actor })
    const session = await one.sessions.open({ principal: alice })
    await one.sessions.post(session, said('go'), alice)
    await until(async () => (await typesOf(there, session)).includes('partReceived'))
    one.crash()
    hang = false
    const two = there.process({ actor })
    const seen = follow(two.sessions, session)
    await takeOver(there)
    await seen.settled()
    const labels = seen.frames.flatMap((frame) =>
      frame.kind === 'part' && frame.part.metadata.partType === 'progress'
        ? [(frame.part.data as { label: string }).label]
        : [],
    )
    expect(labels).toEqual(['first', 'second'])
  })

  test('of the store while it writes a tool’s result never puts a success down as a failure', async () => {
    const there = testContext()
    const append = there.store.append.bind(there.store)
    let fail = true
    there.store.append = (session, expected, events, wakeAt) => {
      const finished = (events as SessionEvent[]).some((event) => event.type === 'toolFinished')
      if (!finished || !fail) return append(session, expected, events, wakeAt)
      fail = false
      return Promise.reject(new BeachError('STORE_BUSY', 'locked'))
    }
    let runs = 0
    const { sessions } = there.process({
      actor: async ({ respond, tool }) => {
        const outcome = await tool({ name: 'book', args: {} }, async () => ++runs)
        await respond({ parts: [{ partType: 'response', text: outcome.outcome }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await there.runtime.clock.advance(15_000)
    await seen.settled()
    expect(runs).toBe(1)
    expect(shown(seen.frames).at(-1)).toBe('response: unknown')
  })

  test.each([
    ['no progress', 6],
    ['a step', 8],
    ['a tool', 8],
  ])(
    'ends the turn with an error after five times without progress; the third run makes %s',
    async (progress, runs) => {
      const there = testContext()
      let begun = 0
      let hanging = 0
      const hang = {
        actor: async ({ respond, tool }: ActorContext) => {
          const isLater = ++begun >= 3
          if (isLater && progress === 'a step') {
            await respond({ parts: [{ partType: 'ack', text: 'Hm.' }], turnState: 'awaiting' })
          }
          if (isLater && progress === 'a tool') await tool({ name: 'think', args: 1 }, async () => 1)
          hanging++
          await new Promise<void>(() => {})
        },
      }
      const first = there.process(hang)
      const session = await first.sessions.open({ principal: alice })
      await first.sessions.post(session, said('go'), alice)
      await until(async () => hanging === 1)
      first.crash()
      const isSettled = async () => (await typesOf(there, session)).includes('turnSettled')
      for (let round = 2; !(await isSettled()); round++) {
        const next = there.process(hang)
        await takeOver(there)
        await until(async () => hanging === round || (await isSettled()))
        next.crash()
      }
      expect((await eventsOf(there, session)).at(-1)).toMatchObject({ type: 'turnSettled', turnState: 'error' })
      expect(begun).toBe(runs)
    },
  )

  test('of a host that only seemed dead lets it change nothing after another took over', async () => {
    const there = testContext()
    const slow = handFed()
    const answer = (text: string | AsyncIterable<string>) => ({
      actor: ({ respond }: ActorContext) => respond({ parts: [{ partType: 'response', text }], turnState: 'complete' }),
    })
    const zombie = there.process(answer(slow.text))
    const session = await zombie.sessions.open({ principal: alice })
    await zombie.sessions.post(session, said('go'), alice)
    slow.feed('from the zombie')
    await until(async () => (await typesOf(there, session)).includes('turnStarted'))
    zombie.oversleep()
    await takeOver(there)
    const next = there.process(answer('from the new host'))
    const seen = follow(next.sessions, session)
    await seen.settled()
    slow.end()
    await there.runtime.clock.advance(1)
    expect((await typesOf(there, session)).filter((type) => type === 'turnSettled')).toHaveLength(1)
    expect(shown(seen.frames).at(-1)).toBe('response: from the new host')
  })

  test('of a host whose start came too late does not let it take the session back', async () => {
    const there = testContext()
    const append = there.store.append.bind(there.store)
    let release = () => {}
    let first = true
    // The message alone: the host that claims the session starts its turn.
    there.store.appendAndClaim = async (session, expected, events) => ({
      head: await append(session, expected, events, 0),
    })
    there.store.append = async (session, expected, events, wakeAt) => {
      if (first && (events as SessionEvent[])[0]?.type === 'turnStarted') {
        first = false
        await new Promise<void>((resolve) => (release = resolve))
      }
      return append(session, expected, events, wakeAt)
    }
    const gate = handFed()
    const answer = {
      actor: ({ respond }: ActorContext) =>
        respond({ parts: [{ partType: 'response', text: gate.text }], turnState: 'complete' }),
    }
    const late = there.process(answer)
    const session = await late.sessions.open({ principal: alice })
    await late.sessions.post(session, said('go'), alice)
    await until(async () => !first)
    late.oversleep()
    const holder = there.process(answer)
    const seen = follow(holder.sessions, session)
    await takeOver(there)
    await until(async () => (await typesOf(there, session)).includes('turnStarted'))
    release()
    await there.runtime.clock.advance(100)
    gate.feed('done')
    gate.end()
    await seen.settled()
    expect(await typesOf(there, session)).not.toContain('turnResumed')
  })

  test('leaves an orderly stop to the next process at once, without waiting for a lease to run out', async () => {
    const there = testContext()
    const one = there.process({ actor: () => new Promise<void>(() => {}) })
    const session = await one.sessions.open({ principal: alice })
    await one.sessions.post(session, said('go'), alice)
    await until(async () => (await typesOf(there, session)).includes('turnStarted'))
    await one.sessions.stop()
    const two = there.process({ actor: echo })
    const seen = follow(two.sessions, session)
    await seen.settled()
    expect(shown(seen.frames).at(-1)).toBe('response: You said go.')
  })
})

describe('a cancel', () => {
  test('aborts the actor, keeps what was said as truncated, and settles as cancelled', async () => {
    const there = testContext()
    const flow = handFed()
    let aborted = false
    const { sessions } = there.process({
      speaker: async ({ respond, signal }) => {
        signal.addEventListener('abort', () => (aborted = true))
        await respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' })
      },
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    flow.feed('Once upon a ')
    await seen.until((frame) => frame.kind === 'delta')
    expect(await sessions.cancel(session, undefined, alice)).toBe(true)
    await seen.settled()
    expect(aborted).toBe(true)
    expect(seen.frames.at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
    const part = seen.frames.findLast((frame) => frame.kind === 'part')
    expect(part).toMatchObject({ part: { text: 'Once upon a ', metadata: { truncated: true } } })
    expect(await sessions.cancel(session, undefined, alice)).toBe(false)
  })

  test('that comes while the turn is still being read stops the actor before it says anything', async () => {
    const there = testContext()
    const read = there.store.read.bind(there.store)
    let release = () => {}
    let arrived = () => {}
    const reading = new Promise<void>((resolve) => (arrived = resolve))
    there.store.read = async (session, after, limit) => {
      // Only a turn's content is read from a place on and to the end.
      if (after > 0 && limit === undefined) {
        arrived()
        await new Promise<void>((resolve) => (release = resolve))
      }
      return read(session, after, limit)
    }
    const hang = { actor: () => new Promise<void>(() => {}) }
    const first = there.process(hang)
    const session = await first.sessions.open({ principal: alice })
    await first.sessions.post(session, said('go'), alice)
    await until(async () => (await typesOf(there, session)).includes('turnStarted'))
    // With a snapshot the next process knows of the turn, but not what is in it.
    await first.sessions.rebuild(session, { kind: 'operator', id: 'o', tenant: alice.tenant })
    first.crash()
    const { sessions } = there.process(hang)
    const seen = follow(sessions, session)
    await takeOver(there)
    await reading
    expect(await sessions.cancel(session, undefined, alice)).toBe(true)
    await seen.until((frame) => frame.kind === 'turn')
    release()
    await seen.settled()
    expect(seen.frames.at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
  })

  test('lets nothing of the actor into the log any more, not even what was on its way', async () => {
    const there = testContext()
    const append = there.store.append.bind(there.store)
    let held = () => {}
    let arrived = () => {}
    const waiting = new Promise<void>((resolve) => (arrived = resolve))
    there.store.append = async (session, expected, events, wakeAt) => {
      if ((events as SessionEvent[])[0]?.type === 'toolStarted') {
        arrived()
        await new Promise<void>((resolve) => (held = resolve))
      }
      return append(session, expected, events, wakeAt)
    }
    let ran = false
    const one = there.process({
      actor: async ({ tool }) => {
        await tool({ name: 'book', args: {} }, async () => (ran = true))
      },
    })
    const two = there.process({ idle: async () => {} })
    const session = await one.sessions.open({ principal: alice })
    const seen = follow(two.sessions, session)
    await one.sessions.post(session, said('go'), alice)
    await waiting
    await two.sessions.cancel(session, undefined, alice)
    await until(async () => (await typesOf(there, session)).includes('cancelRequested'))
    held()
    await seen.settled()
    expect(ran).toBe(false)
    expect(await typesOf(there, session)).not.toContain('toolStarted')
    expect(seen.frames.at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
  })

  test('that reaches the log while no process runs the turn is carried out by the next', async () => {
    const there = testContext()
    const one = there.process({ actor: () => new Promise<void>(() => {}) })
    const session = await one.sessions.open({ principal: alice })
    await one.sessions.post(session, said('go'), alice)
    await until(async () => (await typesOf(there, session)).includes('turnStarted'))
    one.crash()
    const two = there.process({ actor: echo })
    await two.sessions.cancel(session, undefined, alice)
    const seen = follow(two.sessions, session)
    await there.runtime.clock.advance(10_000)
    await seen.settled()
    expect(seen.frames.at(-1)).toMatchObject({ finalizedBy: 'cancelled' })
  })
})

describe('a message that comes while a turn runs', () => {
  async function busy(whileBusy: 'queue' | 'interrupt' | 'reject') {
    const there = testContext()
    const gate = handFed()
    const { sessions } = there.process(
      {
        speaker: ({ text, respond }) => {
          const flowing = text === 'first' ? gate.text : `You said ${text}.`
          return respond({ parts: [{ partType: 'response', text: flowing }], turnState: 'complete' })
        },
      },
      { whileBusy },
    )
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('first'), alice)
    gate.feed('Once upon')
    await seen.until((frame) => frame.kind === 'delta')
    return { sessions, session, seen, gate }
  }

  test('cancels that turn and is answered at once, where the policy is to interrupt', async () => {
    const { sessions, session, seen } = await busy('interrupt')
    await sessions.post(session, said('second'), alice)
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said second.')
    const ends = seen.frames.flatMap((frame) => (frame.kind === 'settled' ? [frame.finalizedBy] : []))
    expect(ends[0]).toBe('cancelled')
  })

  test('is refused, and changes nothing, where the policy is to reject', async () => {
    const { sessions, session, seen, gate } = await busy('reject')
    await expect(sessions.post(session, said('second'), alice)).rejects.toSatisfy((error: unknown) =>
      isBeachError(error, 'TURN_RUNNING'),
    )
    gate.end()
    await seen.settled()
    expect(shown(seen.frames)).toEqual(['message: first', 'response: Once upon'])
  })
})

describe('a session', () => {
  test('is not found by any other caller, whatever they try', async () => {
    const there = testContext()
    const { sessions } = there.process({ echo })
    const session = await sessions.open({ principal: alice })
    const notFound = (error: unknown) => isBeachError(error, 'NOT_FOUND')
    const mallory = { ...alice, tenant: 'other' }
    for (const stranger of [bob, mallory, { ...alice, kind: 'peer' as const }]) {
      await expect(sessions.view(session, stranger)).rejects.toSatisfy(notFound)
      await expect(sessions.checkAccess(session, stranger)).rejects.toSatisfy(notFound)
      await expect(sessions.post(session, said('x'), stranger)).rejects.toSatisfy(notFound)
      await expect(sessions.cancel(session, undefined, stranger)).rejects.toSatisfy(notFound)
      await expect(follow(sessions, session, undefined, stranger).done).rejects.toSatisfy(notFound)
      expect((await sessions.list({}, stranger)).items).toEqual([])
    }
    expect((await sessions.list({}, alice)).items.map((item) => item.sessionId)).toEqual([session])
    expect(await sessions.checkAccess(session, { ...bob, kind: 'operator' })).toEqual(alice)
    expect((await sessions.list({}, { ...bob, kind: 'operator' })).items).toHaveLength(1)
  })

  test('is one for all callers that open it with the same key, also at the same time', async () => {
    const there = testContext()
    const { sessions } = there.process({ echo })
    const opened = await Promise.all([1, 2, 3].map(() => sessions.open({ principal: alice, key: 'mail:thread-1' })))
    expect(new Set(opened).size).toBe(1)
    await expect(sessions.open({ principal: bob, key: 'mail:thread-1' })).rejects.toSatisfy((error: unknown) =>
      isBeachError(error, 'NOT_FOUND'),
    )
  })

  test('answers a message once, however often it is sent with the same key', async () => {
    const there = testContext()
    const { sessions } = there.process({ echo })
    const session = await sessions.open({ principal: alice })
    const posts = await Promise.all([1, 2, 3].map(() => sessions.post(session, said('hello', 'k1'), alice)))
    expect(posts.map((posted) => String(posted.duplicate)).toSorted()).toEqual(['false', 'true', 'true'])
    expect(new Set(posts.map((posted) => posted.messageId)).size).toBe(1)
    await expect(sessions.post(session, said('something else', 'k1'), alice)).rejects.toSatisfy((error: unknown) =>
      isBeachError(error, 'IDEMPOTENCY_MISMATCH'),
    )
    await there.runtime.clock.advance(23 * 60 * 60 * 1_000)
    expect(await sessions.post(session, said('hello', 'k1'), alice)).toMatchObject({ duplicate: true })
    expect((await typesOf(there, session)).filter((type) => type === 'messageReceived')).toHaveLength(1)
  })

  test('tells two idempotency keys apart though they have the same hash', async () => {
    const [one, other] = ['聡a聡a聡a聡聡a聡聡aaaa聡a聡a聡aa', 'aa聡聡a聡a聡aaaa聡aaaa聡a聡聡a']
    const { sessions } = testContext().process({ echo })
    const session = await sessions.open({ principal: alice })
    const first = await sessions.post(session, said('hello', one), alice)
    const second = await sessions.post(session, said('hello', other), alice)
    expect(second).toMatchObject({ duplicate: false })
    expect(await sessions.post(session, said('hello', one), alice)).toEqual({ ...first, duplicate: true })
    expect(await sessions.post(session, said('hello', other), alice)).toEqual({ ...second, duplicate: true })
  })

  test('refuses more messages than its mailbox holds, and loses none that it took', async () => {
    const there = testContext()
    const { sessions } = there.process({ busy: () => new Promise<void>(() => {}) }, { limits: { mailbox: 2 } })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, said('first'), alice)
    await until(async () => (await typesOf(there, session)).includes('turnStarted'))
    await sessions.post(session, said('second'), alice)
    await sessions.post(session, said('third'), alice)
    await expect(sessions.post(session, said('fourth'), alice)).rejects.toSatisfy((error: unknown) =>
      isBeachError(error, 'MAILBOX_FULL'),
    )
    expect(await sessions.view(session, alice)).toMatchObject({ waiting: 2 })
  })

  test('goes on from a snapshot as if from its whole log', async () => {
    const there = testContext()
    const { sessions } = there.process({ echo })
    const session = await sessions.open({ principal: alice })
    for (let turn = 0; turn < 30; turn++) {
      const seen = follow(sessions, session)
      await sessions.post(session, said(`message ${turn}`, `key ${turn}`), alice)
      await seen.until((frame) => frame.kind === 'part' && frame.part.text === `You said message ${turn}.`)
      seen.leave()
    }
    await until(async () => (await there.store.loadSnapshot(session)) !== undefined)
    const { sessions: restarted } = there.process({ echo })
    expect(await restarted.post(session, said('message 3', 'key 3'), alice)).toMatchObject({ duplicate: true })
    const fromSnapshot = await restarted.view(session, alice)
    expect(fromSnapshot).toMatchObject({ waiting: 0, owner: alice })
  })
})

describe('a follower', () => {
  test('resumes after its cursor, and gets everything when the cursor is foreign, too high or nonsense', async () => {
    const there = testContext()
    const { sessions } = there.process({ echo })
    const session = await sessions.open({ principal: alice })
    const other = await sessions.open({ principal: alice })
    const all = follow(sessions, session)
    await sessions.post(session, said('hello'), alice)
    await all.settled()
    const [first] = all.frames
    const rest = follow(sessions, session, first?.cursor)
    await rest.settled()
    expect(rest.frames).toEqual(all.frames.slice(1))
    const foreign = String((await sessions.post(other, said('elsewhere'), alice)).seq)
    for (const cursor of [foreign, '999999', '-1', '0', 'garbage', '1e3', '9'.repeat(40)]) {
      const replay = follow(sessions, session, cursor)
      await replay.settled()
      expect(replay.frames).toEqual(all.frames)
    }
  })

  test('that does not read is dropped with a clear error, and harms no other', async () => {
    const there = testContext()
    const flow = handFed()
    const { sessions } = there.process(
      {
        speaker: ({ respond }) =>
          respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' }),
      },
      { limits: { viewer: { frames: 100, characters: 100_000 } } },
    )
    const session = await sessions.open({ principal: alice })
    const frames = sessions.follow(session, { ...said('').from }, undefined, new AbortController().signal)
    const stalled = frames[Symbol.asyncIterator]()
    const good = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await stalled.next()
    for (let piece = 0; piece < 300; piece++) {
      flow.feed(`${piece} `)
      await good.until((frame) => frame.kind === 'delta' && frame.text === `${piece} `)
    }
    flow.end()
    await good.settled()
    await expect(
      (async () => {
        for await (const _ of frames);
      })(),
    ).rejects.toSatisfy((error: unknown) => isBeachError(error, 'SLOW_READER'))
  })

  test('does not get what its transport may not see', async () => {
    const there = testContext()
    const { sessions } = there.process({
      thinker: ({ respond }) =>
        respond({
          parts: [
            { partType: 'reasoning-trace', text: 'secret thoughts' },
            { partType: 'llm-context', text: 'for a peer’s model' },
            { partType: 'response', text: 'answer' },
          ],
          turnState: 'complete',
        }),
    })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(shown(seen.frames)).toEqual(['message: go', 'response: answer'])
    expect(await typesOf(there, session)).toContain('partReceived')
  })
})

/** Waits, turn by turn of the event loop, for something that will happen without the clock. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}
