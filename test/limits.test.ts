import { defineActor, type ActorContext, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime, turnStates, type Channel, type Envelope, type Work } from '@cool-ai/beach-core'
import { buildEnvelope } from '@cool-ai/beach-protocol'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, onTestFinished, test } from 'vitest'

const owner = { kind: 'user', id: 'anna', tenant: 'default' } as const
const from = { id: 'pager:1', transport: 'pager', deliveryClass: 'buffered', principal: owner, address: '1' } as const

type Limits = NonNullable<NonNullable<BeachOptions['access']>['limits']>

/** Each limit, high enough that nothing here meets it. */
const every: Required<Limits> = {
  mailbox: 100,
  turns: 1_000,
  originators: 20,
  eventBytes: 100_000,
  concurrentTurns: 10,
  viewer: { frames: 1_000, characters: 1_000_000 },
  body: { bytes: 100_000, depth: 32 },
  heldBodyBytes: 10_000_000,
  streamsPerPrincipal: 5,
  guestStreamsPerNetwork: 50,
  guestSessionsPerMinute: 50,
  sessionsPerMinute: 50,
  principal: { messages: { perMinute: 500, perDay: 500 }, bytes: { perDay: 1_000_000 } },
  network: { requests: { perMinute: 500 } },
  tenant: { tokens: { perDay: 1_000_000 }, cost: { perDay: 100 }, turns: { perMinute: 500 }, streams: 100 },
  tenants: { other: { sessions: { perDay: 1 } } },
}

const offers = { slotKey: 'offers', mergeStrategy: 'append' } as const

/** Answers with data of its own, and with what work brings: during the turn (`wait`), or after it in a turn of its own. */
async function research({ text, began, respond, manifest }: ActorContext): Promise<void> {
  const say = (who: string) =>
    respond({
      parts: [
        { partType: 'response', text: who },
        { partType: 'domain-data', data: [who], metadata: offers },
        { partType: 'domain-data', data: [`${who} again`], metadata: offers },
      ],
      turnState: 'complete',
    })
  if (began.length > 0) return say('later')
  const opened = await manifest({ name: text, slots: { found: { work: 'find', args: text, ...offers } } })
  if (text === 'wait') await opened.settled()
  return say('now')
}

/** An agent with these limits, whose answers are pushed. */
async function agent(limits: Limits) {
  const runtime = systemRuntime({ logger: silentLogger })
  const sent: Envelope[] = []
  let received = Promise.withResolvers<void>()
  const pager: Channel = {
    transport: 'pager',
    deliveryClass: 'buffered',
    start: async () => {},
    async send(_, envelope) {
      sent.push(envelope)
      received.resolve()
      received = Promise.withResolvers()
      return { status: 'sent' }
    },
  }
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const find: Work = {
    async run(args) {
      if (args === 'parallel') await released
      return [`found for ${String(args)}`]
    },
  }
  const main = defineActor(research, { works: { find } })
  const { beach, stop } = await testAgent({ actors: { main }, runtime, channels: [pager], access: { limits } })
  onTestFinished(stop)
  const answer = async (count: number) => {
    while (sent.length < count) await received.promise
    return sent[count - 1]
  }
  return { sessions: beach.sessions, answer, release }
}

const dataOf = (envelope: Envelope | undefined) =>
  envelope?.parts.filter(({ metadata }) => metadata.partType === 'domain-data').map(({ data }) => data)

const singles = Object.entries(every).map(([name, value]): [string, Limits] => [name, { [name]: value }])

test.each([...singles, ['all of them', every] as const])(
  'an agent with the limit %s merges the data of turns, manifests, deliveries and previews',
  async (_, limits) => {
    const { sessions, answer, release } = await agent(limits)
    const session = await sessions.open({ principal: owner })
    const say = (text: string) =>
      sessions.post(session, { parts: [{ text, metadata: { partType: 'message' } }], from }, owner)
    await say('wait')
    const waited = await answer(1)
    expect(dataOf(waited)).toEqual([['found for wait', 'now', 'now again']])
    await say('parallel')
    expect(dataOf(await answer(2))).toEqual([['now', 'now again']])
    release()
    const later = await answer(3)
    expect(dataOf(later)).toEqual([['found for parallel', 'later', 'later again']])
    for (const envelope of [waited, later]) {
      const { turnId = '', turnState } = envelope?.meta ?? {}
      expect(turnState).toBe('complete')
      const preview = await sessions.preview(session, turnId, owner)
      expect(dataOf(preview?.envelope(from))).toEqual(dataOf(envelope))
      expect(dataOf(preview?.pushes(from).at(-1))).toEqual(dataOf(envelope))
      expect(dataOf(await sessions.envelope(session, turnId, from))).toEqual(dataOf(envelope))
    }
  },
)

test('a context with the limits of sessions is no options of an envelope: the types refuse it', () => {
  const context = { turnStates, limits: { mailbox: 100 } }
  const input = { sessionId: 's', turnId: 't', parts: [{ partType: 'domain-data', data: { one: 1 } }] }
  // @ts-expect-error -- `limits` of something else.
  expect(buildEnvelope(input, context).parts).toHaveLength(1)
  // @ts-expect-error -- the limits of sessions are not those of merging.
  expect(() => buildEnvelope(input, { mergeLimits: context.limits })).toThrow('larger than')
})
