import { isBeachError, type Originator, type Principal, type SendOutcome } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { handWork } from '../manifests/works.test-helper.ts'
import type { SessionTurnManager, SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import {
  alice,
  bob,
  eventsOf,
  eventually,
  handFed,
  said,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'
import { contents, never, postbox, reader } from './postbox.test-helper.ts'

const operator: Principal = { kind: 'operator', id: 'root', tenant: 'acme' }
const respond = (text: string) => ({ parts: [{ partType: 'response', text }], turnState: 'complete' })
const echo = (turn: ActorContext) => turn.respond(respond(`You said ${turn.text}.`))

type Actors = Parameters<TestContext['process']>[0]
type Options = Partial<SessionTurnManagerOptions> & { readonly there?: TestContext }

/** A session on a channel that pushes, with these originators joined. */
async function session(
  actors: Actors,
  joined: readonly Originator[] = [],
  { there = testContext(), ...options }: Options = {},
) {
  const box = postbox()
  const process = there.process(actors, { channels: [box.channel], ...options })
  const { sessions } = process
  const id = await sessions.open({ principal: alice })
  for (const originator of joined) await sessions.join(id, originator, alice)
  return { ...process, there, box, id, ...hands(there, sessions, id) }
}

/** What a test does with a session. */
function hands(there: TestContext, sessions: SessionTurnManager, id: string) {
  const view = () => sessions.view(id, alice)
  return {
    view,
    post: (text: string, from?: Originator) => sessions.post(id, { ...said(text), ...(from && { from }) }, alice),
    /** Waits until no turn is open and no message waits for one. */
    quiet: () =>
      eventually(async () => {
        const { turn, waiting } = await view()
        return turn === undefined && waiting === 0
      }),
    /** Waits until nothing is on its way any more. */
    delivered: () => eventually(async () => (await view()).inFlight.length === 0),
    pending: async () => (await view()).inFlight.filter(({ kind }) => kind === 'delivery'),
    events: () => eventsOf(there, id),
  }
}

async function turnIds(events: Promise<readonly SessionEvent[]>): Promise<string[]> {
  return (await events).flatMap((event) => (event.type === 'turnStarted' ? [event.turnId] : []))
}

describe('a buffered originator', () => {
  test('gets one envelope when the turn has settled, with all its data as one', async () => {
    const done = handFed()
    const { box, post, delivered, events, id, there } = await session(
      {
        agent: async (turn) => {
          await turn.respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
          await turn.respond({
            parts: [{ partType: 'domain-data', data: { outbound: 'BA 2043' } }],
            turnState: 'awaiting',
          })
          await turn.respond({
            parts: [
              { partType: 'response', text: done.text },
              { partType: 'domain-data', data: { inbound: 'BA 2044' } },
              { partType: 'reasoning-trace', text: 'hm' },
            ],
            turnState: 'complete',
          })
        },
      },
      [reader('anna')],
    )
    await post('flights?')
    done.feed('Two.')
    await there.runtime.clock.advance(5_000)
    expect(box.attempts).toEqual([])
    done.end()
    await eventually(() => box.attempts.length > 0)
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([
      [
        ['domain-data', { outbound: 'BA 2043', inbound: 'BA 2044' }],
        ['response', 'Two.'],
      ],
    ])
    const queued = (await events()).flatMap((event) => (event.type === 'deliveryQueued' ? event.deliveryId : []))
    const settled = (await events()).find((event) => event.type === 'turnSettled')
    expect(queued).toEqual([`${settled?.turnId}:settled:anna`])
    expect(box.got('anna')[0]?.meta).toEqual({
      sessionId: id,
      turnId: settled?.turnId,
      eventId: settled?.id,
      originatorId: 'anna',
      producedAt: new Date(settled?.at ?? 0).toISOString(),
      turnState: 'complete',
      finalizedBy: 'complete',
    })
    expect(box.attempts).toHaveLength(1)
  })

  test.each(['clarify', 'error'])('gets a part of type %s at once, and not again at the end', async (partType) => {
    const done = handFed()
    const { box, post, delivered, events, id } = await session(
      {
        agent: async (turn) => {
          await turn.respond({
            parts: [
              { partType: 'ack', text: 'Hm.' },
              { partType, text: 'From where?' },
            ],
            turnState: 'awaiting',
          })
          await turn.respond({ parts: [{ partType: 'response', text: done.text }], turnState: 'complete' })
        },
      },
      [reader('anna')],
    )
    await post('flights?')
    await eventually(() => box.attempts.length > 0)
    expect(box.got('anna').map(contents)).toEqual([[[partType, 'From where?']]])
    const part = (await events()).find((event) => event.type === 'partReceived' && event.partType === partType)
    expect(box.got('anna')[0]?.meta).toEqual({
      sessionId: id,
      turnId: (await turnIds(events()))[0],
      eventId: part?.id,
      originatorId: 'anna',
      producedAt: new Date(part?.at ?? 0).toISOString(),
      turnState: 'awaiting',
    })
    done.feed('Two.')
    done.end()
    await eventually(() => box.attempts.length > 1)
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([[[partType, 'From where?']], [['response', 'Two.']]])
  })

  test.each(['clarifying', 'error'])('is told of a turn that ends as %s', async (turnState) => {
    const partType = turnState === 'error' ? 'error' : 'clarify'
    const { box, post, delivered, quiet } = await session(
      { agent: (turn) => turn.respond({ parts: [{ partType, text: 'Which?' }], turnState }) },
      [reader('anna')],
    )
    await post('flights?')
    await quiet()
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([[[partType, 'Which?']]])
    expect(box.got('anna')[0]?.meta).toMatchObject({ turnState, finalizedBy: turnState })
  })

  test('is asked for an approval at once, and gets nothing else until it is decided', async () => {
    const { box, post, delivered, view, sessions, there, quiet } = await session(
      {
        agent: async (turn) => {
          await turn.respond({ parts: [{ partType: 'domain-data', data: { price: 187 } }], turnState: 'awaiting' })
          const { outcome } = await turn.tool({ name: 'book', args: {}, requiresApproval: true }, async () => 'booked')
          await turn.respond(respond(outcome))
        },
      },
      [reader('anna')],
    )
    await post('book it')
    await eventually(() => box.attempts.length > 0)
    await there.runtime.clock.advance(60_000)
    expect(box.got('anna').map(({ parts }) => parts.map(({ metadata }) => metadata.partType))).toEqual([
      ['approval-request'],
    ])
    expect(box.got('anna')[0]?.meta).toMatchObject({ turnState: 'suspended' })
    const [approvalId = ''] = (await view()).turn?.pendingApprovals ?? []
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
    await quiet()
    await delivered()
    expect(box.got('anna').map(contents)[1]).toEqual([
      ['domain-data', { price: 187 }],
      ['response', 'ok'],
    ])
    expect(box.attempts).toHaveLength(2)
  })

  test('gets nothing of a turn that has only shown progress, and a streaming one gets the progress', async () => {
    const progress = { partType: 'progress', text: 'half', data: { label: 'half' } }
    const { box, post, delivered, quiet } = await session(
      {
        agent: async (turn) => {
          await turn.respond({ parts: [progress], turnState: 'awaiting' })
          await turn.respond({ parts: [{ partType: 'ack', text: 'Done.' }], turnState: 'complete' })
        },
      },
      [reader('anna'), reader('screen', { deliveryClass: 'streaming' })],
    )
    await post('go')
    await quiet()
    await delivered()
    expect(box.got('anna')).toEqual([])
    expect(box.got('screen').map(contents)).toEqual([[['progress', 'half']]])
  })

  test('that is a peer is told of the end also when there is nothing for it', async () => {
    const { box, post, delivered, quiet } = await session(
      { agent: (turn) => turn.respond({ parts: [{ partType: 'ack', text: 'Done.' }], turnState: 'complete' }) },
      [reader('peer', { consumes: ['response'] }), reader('anna')],
    )
    await post('go')
    await quiet()
    await delivered()
    expect(box.got('peer')).toMatchObject([{ parts: [], meta: { finalizedBy: 'complete' } }])
    expect(box.got('anna')).toEqual([])
  })

  test('gets what was said before a cancel, which the envelope names', async () => {
    const flow = handFed()
    const { box, post, delivered, quiet, sessions, id, view } = await session(
      { agent: (turn) => turn.respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' }) },
      [reader('anna')],
    )
    await post('go')
    flow.feed('Half an ans')
    await eventually(async () => (await view()).turn !== undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await sessions.cancel(id, undefined, alice)).toBe(true)
    await quiet()
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([[['response', 'Half an ans']]])
    expect(box.got('anna')[0]?.meta).toMatchObject({ originatorId: 'anna', finalizedBy: 'cancelled' })
  })
})

describe('a streaming originator that is pushed to', () => {
  test('gets the parts of each step as they come, and the rest at the end, nothing twice', async () => {
    const { box, post, delivered, quiet } = await session(
      {
        agent: async (turn) => {
          await turn.respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
          await turn.respond({
            parts: [
              { partType: 'response', text: 'One.' },
              { partType: 'domain-data', data: { outbound: 'BA 2043' } },
            ],
            turnState: 'awaiting',
          })
          await turn.respond({
            parts: [
              { partType: 'response', text: 'Two.' },
              { partType: 'domain-data', data: { inbound: 'BA 2044' } },
            ],
            turnState: 'complete',
          })
        },
      },
      [reader('screen', { deliveryClass: 'streaming' })],
    )
    await post('flights?')
    await quiet()
    await delivered()
    expect(box.got('screen').map(contents)).toEqual([
      [['ack', 'Looking.']],
      [
        ['response', 'One.'],
        ['domain-data', { outbound: 'BA 2043' }],
      ],
      [
        ['response', 'Two.'],
        ['domain-data', { inbound: 'BA 2044' }],
      ],
    ])
    expect(box.got('screen').map(({ meta }) => meta.finalizedBy)).toEqual([undefined, undefined, 'complete'])
  })

  test('gets the results of a manifest as they come', async () => {
    const find = handWork()
    const agent = defineActor(
      async (turn) => {
        const slots = { a: { work: 'find', args: 'a' }, b: { work: 'find', args: 'b' } }
        await (await turn.manifest({ name: 'x', slots })).settled()
        await turn.respond(respond('done'))
      },
      { works: { find: find.work } },
    )
    const { box, post, delivered, quiet } = await session({ agent }, [
      reader('screen', { deliveryClass: 'streaming' }),
      reader('anna'),
    ])
    await post('go')
    ;(await find.started('a')).finish(1)
    await eventually(() => box.attempts.length > 0)
    expect(box.got('screen').map(contents)).toEqual([[['domain-data', 1]]])
    ;(await find.started('b')).finish(2)
    await quiet()
    await delivered()
    expect(box.got('screen').map(contents)).toEqual([
      [['domain-data', 1]],
      [['domain-data', 2]],
      [['response', 'done']],
    ])
    expect(box.got('anna').map(contents)).toEqual([
      [
        ['domain-data', 1],
        ['domain-data', 2],
        ['response', 'done'],
      ],
    ])
  })

  test('does not get a result of an earlier turn with the turn that runs, but once, with the one that it begins', async () => {
    const find = handWork()
    const gate = handWork()
    const agent = defineActor(
      async (turn) => {
        if (turn.text === 'go') await turn.manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        if (turn.text === 'wait')
          await turn.tool({ name: 'w', args: {} }, async (run) => gate.work.run('w', run as never))
        await turn.respond(respond(`to ${turn.text}`))
      },
      { works: { find: find.work } },
    )
    const screen = reader('screen', { deliveryClass: 'streaming' })
    const { box, post, delivered, quiet, events } = await session({ agent })
    await post('go', screen)
    await quiet()
    await post('wait', reader('anna', { deliveryClass: 'streaming' }))
    const waiting = await gate.started('w')
    ;(await find.started('a')).finish(1)
    await eventually(async () => (await events()).some(({ type }) => type === 'manifestSettled'))
    waiting.finish()
    await eventually(() => box.got('screen').length === 2)
    await quiet()
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([[['response', 'to wait']]])
    expect(box.got('screen').map(contents)).toEqual([
      [['response', 'to go']],
      [
        ['domain-data', 1],
        ['response', 'to '],
      ],
    ])
  })
})

describe('an originator', () => {
  test('that only speaks gets answers to what it says, and one that joined gets everything', async () => {
    const { box, post, delivered, quiet, view } = await session({ echo }, [reader('anna')])
    for (const from of ['bert', 'carl', 'bert']) {
      await post(`hi from ${from}`, reader(from))
      await quiet()
    }
    await delivered()
    expect(box.got('bert')).toHaveLength(2)
    expect(box.got('carl').map(contents)).toEqual([[['response', 'You said hi from carl.']]])
    expect(box.got('anna')).toHaveLength(3)
    expect((await view()).originators).toEqual([
      {
        originatorId: 'anna',
        transport: 'mail',
        deliveryClass: 'buffered',
        listens: true,
        cursor: expect.any(Number) as number,
      },
      {
        originatorId: 'bert',
        transport: 'mail',
        deliveryClass: 'buffered',
        listens: false,
        cursor: expect.any(Number) as number,
      },
      {
        originatorId: 'carl',
        transport: 'mail',
        deliveryClass: 'buffered',
        listens: false,
        cursor: expect.any(Number) as number,
      },
    ])
  })

  test('of several messages in one turn gets its answer once', async () => {
    const flow = handFed()
    const agent = (turn: ActorContext) =>
      turn.text === 'first'
        ? turn.respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' })
        : echo(turn)
    const { box, post, delivered, quiet, view } = await session({ agent })
    await post('first')
    await eventually(async () => (await view()).turn !== undefined)
    await post('one', reader('anna'))
    await post('two', reader('anna'))
    await post('three', reader('bert'))
    flow.end()
    await quiet()
    await delivered()
    for (const id of ['anna', 'bert']) {
      expect(box.got(id).map(contents)).toEqual([[['response', 'You said one\ntwo\nthree.']]])
    }
  })

  test('that leaves gets nothing more, not even what is on its way', async () => {
    const { box, post, quiet, sessions, id, pending } = await session({ echo }, [reader('anna'), reader('bert')])
    box.outcome = ({ to }) => (to.id === 'anna' ? never() : { status: 'sent' })
    await post('one')
    await quiet()
    await eventually(() => box.attempts.some(({ to }) => to.id === 'anna'))
    expect(await sessions.leave(id, 'anna', alice)).toBe(true)
    expect(await sessions.leave(id, 'anna', alice)).toBe(false)
    const sending = box.attempts.find(({ to }) => to.id === 'anna')
    await eventually(() => sending?.signal.aborted === true)
    await post('two')
    await quiet()
    await eventually(() => box.got('bert').length === 2)
    expect(await pending()).toEqual([])
    expect(box.attempts.filter(({ to }) => to.id === 'anna')).toHaveLength(1)
  })

  test('that leaves and joins again within a turn gets what was dropped with the settled envelope, and nothing twice', async () => {
    const end = handFed()
    const asked = ['Sent?', 'Refused?', 'Failed?']
    const { box, post, delivered, sessions, id, pending, there } = await session(
      {
        agent: async (turn) => {
          for (const text of asked) {
            await turn.respond({ parts: [{ partType: 'clarify', text }], turnState: 'awaiting' })
          }
          await turn.respond({ parts: [{ partType: 'response', text: end.text }], turnState: 'complete' })
        },
      },
      [reader('anna')],
    )
    const outcomes = ['sent', 'refused', 'failed', 'sent'] as const
    box.outcome = () => ({ status: outcomes[box.attempts.length - 1] ?? 'sent' })
    await post('flights?')
    await eventually(async () => ((await pending())[0]?.until ?? 0) > there.runtime.clock.now())
    await sessions.leave(id, 'anna', alice)
    await sessions.join(id, reader('anna'), alice)
    end.feed('Two.')
    end.end()
    await eventually(() => box.attempts.length === 4)
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([
      [['clarify', 'Sent?']],
      [
        ['clarify', 'Failed?'],
        ['response', 'Two.'],
      ],
    ])
  })

  test('joins once, however often it is said, and again when it is another', async () => {
    const { sessions, id, events, view } = await session({ echo }, [reader('anna'), reader('anna')])
    const joins = async () => (await events()).filter(({ type }) => type === 'originatorJoined').length
    expect(await joins()).toBe(1)
    await sessions.join(id, reader('anna', { deliveryClass: 'streaming' }), alice)
    expect(await joins()).toBe(2)
    expect((await view()).originators).toMatchObject([{ originatorId: 'anna', deliveryClass: 'streaming' }])
  })

  test('is brought in and sent away by those whose session it is', async () => {
    const { sessions, id } = await session({ echo }, [reader('anna')])
    const refused = (error: unknown) => isBeachError(error, 'NOT_FOUND')
    await expect(sessions.join(id, reader('bert'), bob)).rejects.toSatisfy(refused)
    await expect(sessions.leave(id, 'anna', bob)).rejects.toSatisfy(refused)
  })

  test('whose message began work that outlives its turn gets the answer to what came of it', async () => {
    const find = handWork()
    const agent = defineActor(
      async (turn) => {
        if (turn.text === 'go') await turn.manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        await turn.respond(respond(turn.began.length > 0 ? 'It is there.' : `to ${turn.text}`))
      },
      { works: { find: find.work } },
    )
    const { box, post, delivered, quiet } = await session({ agent })
    await post('go', reader('anna'))
    await quiet()
    await post('hello', reader('bert'))
    await quiet()
    ;(await find.started('a')).finish({ found: 1 })
    await eventually(() => box.got('anna').length === 2)
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([
      [['response', 'to go']],
      [
        ['domain-data', { found: 1 }],
        ['response', 'It is there.'],
      ],
    ])
    expect(box.got('bert').map(contents)).toEqual([[['response', 'to hello']]])
  })
})

describe('llm-context', () => {
  const peer = reader('peer', { consumes: ['llm-context', 'response'] })
  const model = { generate: async () => 'In short: cheaper.' }
  const options = { translator: new LlmContextTranslator({ model }) }
  const types = (envelopes: ReturnType<ReturnType<typeof postbox>['got']>) =>
    envelopes.map(({ parts }) => parts.map(({ metadata }) => metadata.partType))

  test('is made for a peer that has joined and consumes it, and goes to that peer only', async () => {
    const { box, post, delivered, quiet } = await session({ echo }, [peer, reader('anna')], options)
    await post('flights?')
    await quiet()
    await delivered()
    expect(types(box.got('peer'))).toEqual([['response', 'llm-context']])
    expect(types(box.got('anna'))).toEqual([['response']])
  })

  test('is made for a peer whom a turn answers that results have begun', async () => {
    const find = handWork()
    const agent = defineActor(
      async (turn) => {
        if (turn.text === 'go') await turn.manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        await turn.respond(respond('done'))
      },
      { works: { find: find.work } },
    )
    const { box, post, delivered, quiet } = await session({ agent }, [], options)
    await post('go', peer)
    await quiet()
    ;(await find.started('a')).finish({ found: 1 })
    await eventually(() => box.got('peer').length === 2)
    await delivered()
    expect(types(box.got('peer'))).toEqual([
      ['response', 'llm-context'],
      ['domain-data', 'response', 'llm-context'],
    ])
  })

  test('is not made when no listener wants it', async () => {
    const { post, delivered, quiet, events } = await session({ echo }, [reader('anna')], options)
    await post('flights?')
    await quiet()
    await delivered()
    expect((await events()).flatMap((event) => (event.type === 'partReceived' ? [event.partType] : []))).toEqual([
      'response',
    ])
  })
})

describe('a delivery that fails', () => {
  const push = { attempts: 6, firstDelayMs: 1_000, maxDelayMs: 9_000, timeoutMs: 10_000 }

  async function failing(joined: readonly Originator[] = [reader('anna')], there = testContext()) {
    const box = postbox({ push })
    const made = await session({ echo }, joined, { there, channels: [box.channel] })
    return { ...made, box, clock: there.runtime.clock }
  }

  test('is tried again later and later, under the same key, until it is a dead letter', async () => {
    const { box, post, quiet, pending, clock, view } = await failing()
    box.outcome = () => ({ status: 'failed', reason: 'no answer' })
    await post('hello')
    await quiet()
    // Each wait is the policy's, or up to half of it shorter.
    for (const [made, longest] of [1_000, 2_000, 4_000, 8_000, 9_000].entries()) {
      await eventually(() => box.attempts.length === made + 1)
      await eventually(async () => ((await pending())[0]?.until ?? 0) > clock.now())
      const wait = ((await pending())[0]?.until ?? 0) - clock.now()
      expect(wait).toBeGreaterThanOrEqual(longest / 2)
      expect(wait).toBeLessThanOrEqual(longest)
      await clock.advance(wait - 1)
      expect(box.attempts).toHaveLength(made + 1)
      await clock.advance(1)
    }
    await eventually(async () => (await view()).deadLetters.length === 1)
    expect(box.attempts).toHaveLength(6)
    expect(new Set(box.attempts.map(({ key }) => key)).size).toBe(1)
    expect((await view()).deadLetters).toMatchObject([{ originatorId: 'anna', attempts: 6, at: clock.now() }])
    await clock.advance(60 * 60_000)
    expect(box.attempts).toHaveLength(6)
  })

  test('is recorded with its reason, and without what the channel threw', async () => {
    const { box, post, quiet, events, clock, delivered } = await failing()
    box.outcome = () => {
      if (box.attempts.length === 1) return { status: 'failed', reason: 'no answer' }
      if (box.attempts.length === 2) throw new Error('password hunter2')
      return { status: 'sent', externalId: 'mail-7' }
    }
    await post('hello')
    await quiet()
    await clock.advance(10_000)
    await delivered()
    const outcomes = (await events()).filter(({ type }) => type === 'deliveryFailed' || type === 'deliverySent')
    expect(outcomes).toMatchObject([
      { type: 'deliveryFailed', attempt: 1, payload: { reason: 'no answer' } },
      { type: 'deliveryFailed', attempt: 2, payload: { reason: 'The channel failed.' } },
      { type: 'deliverySent', externalId: 'mail-7' },
    ])
    expect(JSON.stringify(await events())).not.toContain('hunter2')
  })

  test('keeps those after it waiting, for this originator only', async () => {
    const { box, post, quiet, clock, delivered } = await failing([reader('anna'), reader('bert')])
    box.outcome = ({ to }) => ({ status: to.id === 'anna' && box.attempts.length < 5 ? 'failed' : 'sent' })
    for (const text of ['one', 'two', 'three']) {
      await post(text)
      await quiet()
    }
    await eventually(() => box.got('bert').length === 3)
    expect(new Set(box.attempts.filter(({ to }) => to.id === 'anna').map(({ key }) => key)).size).toBe(1)
    await clock.advance(10_000)
    await delivered()
    const texts = ['one', 'two', 'three'].map((text) => [['response', `You said ${text}.`]])
    expect(box.got('anna').map(contents)).toEqual(texts)
    expect(box.got('bert').map(contents)).toEqual(texts)
  })

  test('is tried again in time while another originator’s hangs', async () => {
    const { box, post, quiet, clock } = await failing([reader('slow'), reader('anna')])
    box.outcome = ({ to }) => {
      if (to.id === 'slow') return never()
      return { status: box.attempts.filter((attempt) => attempt.to.id === 'anna').length < 2 ? 'failed' : 'sent' }
    }
    await post('hello')
    await quiet()
    await clock.advance(1_000)
    await eventually(() => box.got('anna').length === 1)
  })

  test('is tried again in time while a turn runs', async () => {
    const there = testContext()
    const box = postbox({ push })
    const flow = handFed()
    const agent = (turn: ActorContext) =>
      turn.text === 'long'
        ? turn.respond({ parts: [{ partType: 'response', text: flow.text }], turnState: 'complete' })
        : echo(turn)
    const { post, quiet } = await session({ agent }, [reader('anna')], { there, channels: [box.channel] })
    box.outcome = () => ({ status: box.attempts.length < 2 ? 'failed' : 'sent' })
    await post('hello')
    await quiet()
    await post('long')
    await there.runtime.clock.advance(1_000)
    await eventually(() => box.got('anna').length === 1)
  })

  test('because it was refused is a dead letter at once, and the next one goes out', async () => {
    const { box, post, quiet, view, delivered } = await failing()
    box.outcome = () => ({ status: box.attempts.length === 1 ? 'refused' : 'sent' })
    await post('one')
    await quiet()
    await post('two')
    await quiet()
    await delivered()
    expect((await view()).deadLetters).toMatchObject([{ originatorId: 'anna', attempts: 1 }])
    expect(box.got('anna').map(contents)).toEqual([[['response', 'You said two.']]])
  })

  test('because there is no answer is given up after its time, and nothing else waits for it', async () => {
    const { box, post, quiet, clock, delivered } = await failing([reader('slow'), reader('anna')])
    box.outcome = ({ to }) => (to.id === 'slow' && box.attempts.length < 5 ? never() : { status: 'sent' })
    await post('one')
    await quiet()
    await eventually(() => box.got('anna').length === 1)
    await post('two')
    await quiet()
    await eventually(() => box.got('anna').length === 2)
    const hanging = box.attempts.find(({ to }) => to.id === 'slow')
    expect(box.attempts.filter(({ to }) => to.id === 'slow')).toHaveLength(1)
    await clock.advance(9_999)
    expect(hanging?.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(hanging?.signal.aborted).toBe(true)
    await clock.advance(60_000)
    await delivered()
    expect(box.got('slow').map(contents)).toEqual([[['response', 'You said one.']], [['response', 'You said two.']]])
  })

  test('only on its way into the log is sent again under the same key', async () => {
    const there = testContext()
    const first = await failing([reader('anna')], there)
    first.box.outcome = () => {
      first.crash()
      return { status: 'sent' }
    }
    await first.post('hello')
    await eventually(() => first.box.attempts.length === 1)
    first.box.outcome = () => ({ status: 'sent' })
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ echo }, { channels: [first.box.channel] })
    await hands(there, sessions, first.id).delivered()
    expect(first.box.attempts).toHaveLength(2)
    expect(new Set(first.box.attempts.map(({ key }) => key)).size).toBe(1)
    expect(first.box.got('anna')).toHaveLength(1)
  })

  test('goes on where it was in the next process, with its attempts and its time', async () => {
    const there = testContext()
    const first = await failing([reader('anna')], there)
    first.box.outcome = () => ({ status: 'failed' })
    await first.post('hello')
    await first.quiet()
    await eventually(async () => ((await first.pending())[0]?.until ?? 0) > there.runtime.clock.now())
    const until = (await first.pending())[0]?.until ?? 0
    first.crash()
    first.box.outcome = () => ({ status: 'sent' })
    there.process({ echo }, { channels: [first.box.channel] })
    await there.runtime.clock.advance(until - there.runtime.clock.now() - 1)
    expect(first.box.got('anna')).toHaveLength(0)
    await there.runtime.clock.advance(10_000)
    expect(first.box.got('anna')).toHaveLength(1)
  })

  test('because no channel reaches that originator any more is given up', async () => {
    const there = testContext()
    const first = await failing([reader('anna')], there)
    first.box.outcome = never
    await first.post('hello')
    await first.quiet()
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ echo })
    const { view } = hands(there, sessions, first.id)
    await eventually(async () => (await view()).deadLetters.length === 1)
  })

  test('because the originator’s data was erased is given up', async () => {
    const there = testContext()
    const first = await failing([reader('anna')], there)
    first.box.outcome = never
    await first.post('hello')
    await first.quiet()
    await eventually(() => first.box.attempts.length === 1)
    first.crash()
    erase(there, 'originatorJoined')
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ echo }, { channels: [first.box.channel] })
    const { view } = hands(there, sessions, first.id)
    await eventually(async () => (await view()).deadLetters.length === 1)
    expect(first.box.attempts).toHaveLength(1)
    expect((await view()).inFlight).toEqual([])
  })
})

/** The log from now on has no content of events of this type. */
function erase({ store }: TestContext, type: SessionEvent['type']): void {
  const read = store.read.bind(store)
  store.read = async (...args) =>
    (await read(...args)).map(({ seq, data }) => {
      const event = data as SessionEvent & { payload?: unknown }
      const { payload: _, ...header } = event
      return { seq, data: event.type === type ? header : event }
    })
}

describe('a delivery that is under way when its host is stopped', () => {
  test('is ended first, so that the next host does not send it again', async () => {
    const there = testContext()
    const first = await session({ echo }, [reader('anna')], { there })
    const taken = Promise.withResolvers<SendOutcome>()
    first.box.outcome = () => taken.promise
    await first.post('hello')
    await eventually(() => first.box.attempts.length === 1)
    const stopped = first.sessions.stop()
    taken.resolve({ status: 'sent' })
    await stopped
    const { view } = hands(there, there.process({ echo }, { channels: [first.box.channel] }).sessions, first.id)
    expect((await view()).inFlight).toEqual([])
    await there.runtime.clock.advance(60_000)
    expect(first.box.attempts).toHaveLength(1)
  })

  test('is left to the next host when it takes too long', async () => {
    const there = testContext()
    const first = await session({ echo }, [reader('anna')], { there })
    first.box.outcome = never
    await first.post('hello')
    await eventually(() => first.box.attempts.length === 1)
    const stopped = first.sessions.stop()
    await there.runtime.clock.advance(5_000)
    await stopped
    first.box.outcome = () => ({ status: 'sent' })
    there.process({ echo }, { channels: [first.box.channel] })
    await eventually(() => first.box.attempts.length === 2)
    expect(first.box.got('anna')).toHaveLength(1)
  })
})

test('a result that failed pushes nothing, and its turn goes on', async () => {
  const find = { run: () => Promise.reject(new Error('no')) }
  const agent = defineActor(
    async (turn) => {
      const { results } = await (await turn.manifest({ name: 'x', slots: { a: { work: 'find' } } })).settled()
      await turn.respond(respond(results.map(({ outcome }) => outcome).join()))
    },
    { works: { find } },
  )
  const { box, post, quiet, delivered, events } = await session({ agent }, [reader('anna')])
  await post('go')
  await quiet()
  await delivered()
  expect(box.got('anna').map(contents)).toEqual([[['response', 'failed']]])
  expect((await events()).filter(({ type }) => type === 'deliveryQueued')).toHaveLength(1)
})

describe('dead letters', () => {
  async function withOne(joined: readonly Originator[] = [reader('anna')]) {
    const made = await session({ echo }, joined)
    made.box.outcome = () => ({ status: 'refused' })
    await made.post('hello')
    await made.quiet()
    await eventually(async () => (await made.view()).deadLetters.length === joined.length)
    const [letter] = (await made.view()).deadLetters
    return { ...made, deliveryId: letter?.deliveryId ?? '' }
  }

  test('are listed for operators of the tenant, page by page, and for no other caller', async () => {
    const { sessions, id } = await withOne([reader('anna'), reader('bert'), reader('carl')])
    const [first, second] = [
      await sessions.deadLetters({ limit: 2 }, operator),
      await sessions.deadLetters(
        { limit: 2, after: (await sessions.deadLetters({ limit: 2 }, operator)).next ?? '' },
        operator,
      ),
    ]
    const listed = [...first.items, ...second.items]
    expect(listed).toHaveLength(3)
    expect(second.next).toBeUndefined()
    const { deadLetters } = await sessions.view(id, operator)
    expect(listed.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
      deadLetters.map(({ deliveryId }) => deliveryId).toSorted(),
    )
    expect(new Set(listed.map(({ sessionId }) => sessionId))).toEqual(new Set([id]))
    expect((await sessions.deadLetters({}, { ...operator, tenant: 'other' })).items).toEqual([])
    await expect(sessions.deadLetters({}, alice)).rejects.toSatisfy((error) => isBeachError(error, 'FORBIDDEN'))
  })

  test('are sent again by an operator, once', async () => {
    const { box, sessions, id, deliveryId, delivered, view } = await withOne()
    box.outcome = () => ({ status: 'sent' })
    await expect(sessions.redeliver(id, deliveryId, alice)).rejects.toSatisfy((error) =>
      isBeachError(error, 'FORBIDDEN'),
    )
    await expect(sessions.redeliver(id, deliveryId, { ...operator, tenant: 'other' })).rejects.toSatisfy((error) =>
      isBeachError(error, 'NOT_FOUND'),
    )
    expect(await sessions.redeliver(id, 'none', operator)).toBe(false)
    expect(await sessions.redeliver(id, deliveryId, operator)).toBe(true)
    expect(await sessions.redeliver(id, deliveryId, operator)).toBe(false)
    await delivered()
    expect(box.got('anna').map(contents)).toEqual([[['response', 'You said hello.']]])
    expect((await view()).deadLetters).toEqual([])
    expect((await sessions.deadLetters({}, operator)).items).toEqual([])
    expect(box.attempts).toHaveLength(2)
    expect(new Set(box.attempts.map(({ key }) => key)).size).toBe(1)
  })

  test('are sent again also while the session is busy with something else', async () => {
    const { box, sessions, id, deliveryId, view, post, quiet } = await session({ echo }, [
      reader('anna'),
      reader('slow'),
    ]).then(async (made) => {
      made.box.outcome = ({ to }) => (to.id === 'slow' ? never() : { status: 'refused' })
      await made.post('hello')
      await made.quiet()
      await eventually(async () => (await made.view()).deadLetters.length === 1)
      return { ...made, deliveryId: (await made.view()).deadLetters[0]?.deliveryId ?? '' }
    })
    box.outcome = ({ to }) => (to.id === 'slow' ? never() : { status: 'sent' })
    await post('again')
    await quiet()
    expect(await sessions.redeliver(id, deliveryId, operator)).toBe(true)
    await eventually(() => box.got('anna').length === 2)
    expect((await view()).deadLetters).toEqual([])
  })

  test('that fail again are dead again, and found again', async () => {
    const { box, sessions, id, deliveryId, view } = await withOne()
    expect(await sessions.redeliver(id, deliveryId, operator)).toBe(true)
    await eventually(() => box.attempts.length === 2)
    await eventually(async () => (await view()).deadLetters.length === 1)
    expect((await sessions.deadLetters({}, operator)).items).toMatchObject([
      { sessionId: id, deliveryId, letter: { originatorId: 'anna', attempts: 1, reason: 'No reason was given.' } },
    ])
  })

  test('of an originator that has left are not sent again', async () => {
    const { sessions, id, deliveryId, view } = await withOne()
    await sessions.leave(id, 'anna', alice)
    expect(await sessions.redeliver(id, deliveryId, operator)).toBe(false)
    expect((await view()).inFlight).toEqual([])
  })

  test('are also what is too old when more than 200 wait for one originator', async () => {
    const { box, sessions, post, quiet, view, events, pending } = await session({ echo }, [reader('anna')])
    box.outcome = never
    for (let turn = 0; turn < 203; turn++) {
      await post(`message ${turn}`)
      await quiet()
    }
    await eventually(async () => (await view()).deadLetters.length === 3)
    expect(await pending()).toHaveLength(200)
    const turns = await turnIds(events())
    expect((await view()).deadLetters.map(({ turnId }) => turnId)).toEqual(turns.slice(0, 3))
    expect((await sessions.deadLetters({}, operator)).items).toHaveLength(3)
  })
})
