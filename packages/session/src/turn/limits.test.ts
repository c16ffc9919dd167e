import { isBeachError, type ErrorCode, type Inbound, type Originator } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { never, postbox, reader } from '../delivery/postbox.test-helper.ts'
import { defineActor, type ActorContext } from './function-actor.ts'
import { handWork } from '../manifests/works.test-helper.ts'
import { alice, eventsOf, eventually, follow, handFed, said, testContext } from '../host/test-context.test-helper.ts'

const answer = (text: string) => ({ parts: [{ partType: 'response', text }], turnState: 'complete' })
const echo = ({ text, respond }: ActorContext) => respond(answer(`You said ${text}.`))

function refusedWith(code: ErrorCode, words: string) {
  return (error: unknown) => isBeachError(error, code) && error.message.includes(words)
}

function from(id: string): Inbound {
  const originator: Originator = { ...said('').from, id }
  return { ...said(`hi from ${id}`), from: originator }
}

describe('a session', () => {
  test('takes no answer to a question that was withdrawn, but any other message', async () => {
    const there = testContext()
    const asks = ({ respond }: ActorContext) =>
      respond({ parts: [{ partType: 'clarify', text: 'Which one?' }], turnState: 'clarifying' })
    const { sessions } = there.process({ asks })
    const session = await sessions.open({ principal: alice })
    const { seq } = await sessions.post(session, said('book'), alice)
    await follow(sessions, session, String(seq)).settled()
    const [turnId = ''] = (await eventsOf(there, session)).flatMap((event) =>
      event.type === 'turnSettled' ? event.turnId : [],
    )
    expect(await sessions.withdraw(session, turnId, alice)).toBe(true)
    await expect(sessions.post(session, { ...said('this'), answers: turnId }, alice)).rejects.toSatisfy(
      refusedWith('TURN_CLOSED', 'withdrawn'),
    )
    expect(await sessions.post(session, said('book'), alice)).toMatchObject({ duplicate: false })
  })

  test('that has had all its turns takes no more messages, and says so', async () => {
    const { sessions } = testContext().process({ echo }, { limits: { turns: 2 } })
    const session = await sessions.open({ principal: alice })
    for (const text of ['one', 'two']) {
      const { seq } = await sessions.post(session, said(text), alice)
      await follow(sessions, session, String(seq)).settled()
    }
    await expect(sessions.post(session, said('three'), alice)).rejects.toSatisfy(
      refusedWith('SESSION_FULL', '2 turns, as many as it may'),
    )
    const another = await sessions.open({ principal: alice })
    await sessions.post(another, said('one'), alice)
  })

  test('takes as many originators as it may have, and another one when one has left', async () => {
    const { sessions } = testContext().process({ echo }, { limits: { originators: 2 } })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, from('a'), alice)
    await sessions.join(session, reader('b'), alice)
    const full = refusedWith('TOO_MANY', '2 originators')
    await expect(sessions.post(session, from('c'), alice)).rejects.toSatisfy(full)
    await expect(sessions.join(session, reader('c'), alice)).rejects.toSatisfy(full)
    await sessions.post(session, from('a'), alice)
    await sessions.join(session, reader('a'), alice)
    await sessions.leave(session, 'b', alice)
    await sessions.join(session, reader('c'), alice)
    const { originators } = await sessions.view(session, alice)
    expect(originators.map(({ originatorId }) => originatorId)).toEqual(['a', 'c'])
  })

  test('takes as many messages as its mailbox holds, and more when a turn has taken them', async () => {
    const flow = handFed()
    const { sessions } = testContext().process(
      {
        agent: (turn) =>
          turn.text === 'go'
            ? turn.respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' })
            : echo(turn),
      },
      { limits: { mailbox: 2 } },
    )
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await eventually(async () => (await sessions.view(session, alice)).turn !== undefined)
    await sessions.post(session, said('one'), alice)
    await sessions.post(session, said('two'), alice)
    await expect(sessions.post(session, said('three'), alice)).rejects.toSatisfy(
      refusedWith('MAILBOX_FULL', '2 messages'),
    )
    flow.end()
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said one\ntwo.')
    await sessions.post(session, said('three'), alice)
  })

  test('takes no message that is too large, and no part of an actor, which can say less then', async () => {
    const problems: unknown[] = []
    const { sessions } = testContext().process(
      {
        agent: async ({ respond }) => {
          await respond(answer('€'.repeat(400))).catch((error: unknown) => problems.push(error))
          await respond(answer('€'.repeat(200)))
        },
      },
      { limits: { eventBytes: 1_000 } },
    )
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await expect(sessions.post(session, said('€'.repeat(400)), alice)).rejects.toSatisfy(
      refusedWith('TOO_LARGE', '1000 are allowed'),
    )
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(problems).toSatisfy(([error]: unknown[]) => refusedWith('INVALID_PART', '1000 are allowed')(error))
    expect(seen.frames.at(-1)).toMatchObject({ turnState: 'complete' })
  })
})

describe('a process', () => {
  /** Answers when the test lets it, one turn at a time. */
  function slow() {
    const running = new Map<string, () => void>()
    let max = 0
    return {
      running,
      max: () => max,
      agent: async ({ text, respond }: ActorContext) => {
        await new Promise<void>((resolve) => {
          running.set(text, () => {
            running.delete(text)
            resolve()
          })
          max = Math.max(max, running.size)
        })
        await respond(answer(`You said ${text}.`))
      },
    }
  }

  test('runs as many turns at the same time as it may; the others wait, and all are answered', async () => {
    const { agent, running, max } = slow()
    const { sessions } = testContext().process({ agent }, { limits: { concurrentTurns: 3 } })
    const followed = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const session = await sessions.open({ principal: alice })
        const seen = follow(sessions, session)
        await sessions.post(session, said(`m${index}`), alice)
        return seen
      }),
    )
    for (let answered = 0; answered < 10; answered++) {
      await eventually(() => running.size === Math.min(3, 10 - answered))
      const [release] = running.values()
      release?.()
    }
    await Promise.all(followed.map((seen) => seen.settled()))
    expect(max()).toBe(3)
  })

  test.each([1, 2, 20])('that may run %i turns answers what came during a turn', async (concurrentTurns) => {
    const { agent, running } = slow()
    const { sessions } = testContext().process({ agent }, { limits: { concurrentTurns } })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('one'), alice)
    await eventually(() => running.has('one'))
    await sessions.post(session, said('two'), alice)
    running.get('one')?.()
    await eventually(() => running.has('two'))
    running.get('two')?.()
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said two.')
  })

  test('has room for others, and again for itself, while a session only waits for work or for a person', async () => {
    const there = testContext()
    const find = handWork()
    const box = postbox()
    box.outcome = never
    const agent = defineActor(
      async ({ text, respond, manifest }) => {
        if (text === 'go') await manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        await respond(answer(`You said ${text}.`))
      },
      { works: { find: find.work } },
    )
    const { sessions } = there.process({ agent }, { limits: { concurrentTurns: 1 }, channels: [box.channel] })
    const busy = await sessions.open({ principal: alice })
    const seen = follow(sessions, busy)
    await sessions.join(busy, reader('slow'), alice)
    await sessions.post(busy, said('go'), alice)
    await find.started('a')
    await eventually(() => box.attempts.length === 1)
    const other = await sessions.open({ principal: alice })
    const otherSeen = follow(sessions, other)
    await sessions.post(other, said('hello'), alice)
    await otherSeen.settled()
    await sessions.post(busy, said('still there?'), alice)
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said still there?.')
  })

  test('lets a session that it holds go before unclaimed ones', async () => {
    const find = handWork()
    const { agent: wait, running } = slow()
    const agent = defineActor(
      async (turn) => {
        if (turn.text === 'long') return wait(turn)
        if (turn.text === 'go') await turn.manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        return echo(turn)
      },
      { works: { find: find.work } },
    )
    const { sessions } = testContext().process({ agent }, { limits: { concurrentTurns: 2 } })
    const [busy, other] = [await sessions.open({ principal: alice }), await sessions.open({ principal: alice })]
    const seen = follow(sessions, busy)
    await sessions.post(busy, said('go'), alice)
    await seen.settled()
    await find.started('a')
    await sessions.post(other, said('long'), alice)
    await eventually(() => running.has('long'))
    await sessions.post(busy, said('still there?'), alice)
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said still there?.')
    expect(running.has('long')).toBe(true)
  })

  test('has as much room after messages that came twice as before', async () => {
    const { agent, running } = slow()
    const { sessions } = testContext().process({ agent }, { limits: { concurrentTurns: 2 } })
    const sessionIds = await Promise.all(['one', 'other'].map(() => sessions.open({ principal: alice })))
    const [first = '', second = ''] = sessionIds
    const seen = follow(sessions, first)
    await sessions.post(first, said('hello', 'key'), alice)
    await eventually(() => running.has('hello'))
    running.get('hello')?.()
    await seen.settled()
    for (let n = 0; n < 3; n++)
      expect(await sessions.post(first, said('hello', 'key'), alice)).toMatchObject({ duplicate: true })
    await sessions.post(first, said('long one'), alice)
    await sessions.post(second, said('long other'), alice)
    await eventually(() => running.size === 2)
  })

  test('lets a session that it holds go before a claim that has waited for longer', async () => {
    const find = handWork()
    const { agent: wait, running } = slow()
    const agent = defineActor(
      async (turn) => {
        if (turn.text.startsWith('long')) return wait(turn)
        if (turn.text === 'go') await turn.manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        return echo(turn)
      },
      { works: { find: find.work } },
    )
    const { sessions } = testContext().process({ agent }, { limits: { concurrentTurns: 2 } })
    const [held, one, other] = [
      await sessions.open({ principal: alice }),
      await sessions.open({ principal: alice }),
      await sessions.open({ principal: alice }),
    ]
    const seen = follow(sessions, held)
    await sessions.post(held, said('go'), alice)
    await seen.settled()
    await find.started('a')
    for (const [session, text] of [
      [one, 'long one'],
      [other, 'long other'],
    ] as const) {
      await sessions.post(session, said(text), alice)
      await eventually(() => running.has(text))
    }
    // Both places are taken, and the claim waits for one.
    await sessions.post(held, said('still there?'), alice)
    await eventually(async () => (await sessions.view(held, alice)).waiting === 1)
    running.get('long one')?.()
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said still there?.')
    expect(running.has('long other')).toBe(true)
  })

  test('holds a limited number of sessions for what is slow, and answers what comes to those', async () => {
    const box = postbox()
    const waiting: (() => void)[] = []
    box.outcome = () => new Promise((resolve) => waiting.push(() => resolve({ status: 'sent' })))
    const options = { limits: { concurrentTurns: 1 }, channels: [box.channel] }
    const { sessions } = testContext().process({ echo }, options)
    const opened = await Promise.all(Array.from({ length: 11 }, () => sessions.open({ principal: alice })))
    const [first = ''] = opened
    const turns = async () =>
      (await Promise.all(opened.map((id) => sessions.view(id, alice)))).map(({ epoch }) => epoch)
    for (const session of opened) {
      await sessions.join(session, reader('slow'), alice)
      await sessions.post(session, said('hello'), alice)
    }
    await eventually(() => box.attempts.length === 10)
    expect((await turns()).filter((epoch) => epoch > 0)).toHaveLength(10)
    const seen = follow(sessions, first)
    await sessions.post(first, said('still there?'), alice)
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === 'You said still there?.')
    expect((await turns()).filter((epoch) => epoch > 0)).toHaveLength(10)
    // Once one message has been taken, there is room for one more.
    waiting.at(-1)?.()
    await eventually(async () => (await turns()).every((epoch) => epoch > 0))
  })

  test('has room for others while a turn is suspended or to be tried again later', async () => {
    const there = testContext()
    const agent = async ({ text, respond, tool }: ActorContext) => {
      if (text === 'fail') throw new Error('broken')
      if (text === 'ask') await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
      await respond(answer(`You said ${text}.`))
    }
    const { sessions } = there.process({ agent }, { limits: { concurrentTurns: 1 }, retryFailed: () => 60_000 })
    const begin = async (text: string) => {
      const session = await sessions.open({ principal: alice })
      await sessions.post(session, said(text), alice)
      return follow(sessions, session)
    }
    const asking = await begin('ask')
    await asking.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const failing = await begin('fail')
    await failing.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'error')
    await (await begin('hello')).settled()
  })
})
