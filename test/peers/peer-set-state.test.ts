import { defineActor } from '@cool-ai/beach'
import type { StateTransitionRefusal } from '@cool-ai/beach-core/log'
import type { SetStatePart } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { apiKey, collect, request, says, startAgent, stockClient } from '../a2a/agent.ts'
import { Conversation } from '../support/conversation.ts'
import { baxterOptions, card, startBaxter } from './two-agents.ts'

// Document 000, "setState part schema": "A2A peer envelopes — the part passes through verbatim. A peer Beach receiving the
// envelope decodes and applies".

const machine = (allowHandlerTransitions: boolean) => ({
  components: {
    booking: {
      allowHandlerTransitions,
      coordinates: {
        phase: { initial: 'searching', transitions: { searching: ['selected'], selected: ['searching'] } },
        payment: { initial: 'none', transitions: { none: ['open'], open: ['paid'], paid: [] } },
      },
    },
  },
})

const part: SetStatePart = { partType: 'setState', data: { 'booking.phase': 'selected', 'booking.payment': 'open' } }

/** Sally, who moves her own state, and says so. */
async function startSally(said: SetStatePart = part) {
  const sally = defineActor(async ({ respond }) => {
    await respond({ parts: [said, { partType: 'response', text: 'Selected.' }], turnState: 'complete' })
  })
  return startAgent({ agent: card('sally', 'Sally'), actors: { sally }, stateMachines: [machine(true)] })
}

interface BaxterOptions {
  readonly scopes?: readonly string[]
  readonly allows?: boolean
  readonly said?: SetStatePart
}

/** Baxter, with state machines of his own, and what he was told of refusals. */
async function asked({ scopes, allows = true, said }: BaxterOptions) {
  const sally = await startSally(said)
  const refusals: StateTransitionRefusal[] = []
  const { peers } = baxterOptions(sally)
  const { url, beach } = await startBaxter(sally, {
    peers: { sally: { ...peers.sally, ...(scopes && { scopes }) } },
    stateMachines: [machine(allows)],
    turns: { onStateTransitionRejected: (refusal) => refusals.push(refusal) },
  })
  return { url, beach, refusals }
}

async function talked(options: BaxterOptions) {
  const { url, refusals } = await asked(options)
  const talk = await Conversation.open(url)
  await talk.say('Select it, please.')
  await talk.settled(1)
  expect(talk.partOf('response')?.text).toBe('Sally: Selected.')
  return { talk, refusals }
}

const moved = { 'booking.phase': 'selected', 'booking.payment': 'open' }
const unmoved = { 'booking.phase': 'searching', 'booking.payment': 'none' }

describe('000 "setState": a part in a peer’s answer', () => {
  test('is applied where the peer has the scope and the component allows it; viewers see the move, not the part', async () => {
    const { talk, refusals } = await talked({ scopes: ['state:write'] })
    expect(talk.stream.state).toEqual(moved)
    expect(talk.partOf('setState')).toBeUndefined()
    expect(refusals).toEqual([])
  })

  test.each<[string, BaxterOptions, RegExp]>([
    ['of a peer without the scope', {}, /'sally'.*'state:write'/],
    ['of a peer with another scope', { scopes: ['booking:write'] }, /'sally'.*'state:write'/],
    ['for a component that has not opted in', { scopes: ['state:write'], allows: false }, /by peers \(allowHandlerTr/],
  ])('%s moves nothing, and onStateTransitionRejected is called', async (_, options, reason) => {
    const { talk, refusals } = await talked(options)
    expect(talk.stream.state).toEqual(unmoved)
    expect(refusals).toMatchObject([
      { peer: 'sally', turnId: talk.stream.turns[0]?.turnId, reason: expect.stringMatching(reason) as string },
    ])
    expect(refusals[0]?.part).toMatchObject({ data: part.data, metadata: { origin: { peer: 'sally' } } })
  })

  test('is applied as a whole or not at all, by where the coordinates stand here', async () => {
    // At Sally both coordinates may move so; here the payment may not.
    const sally = await startSally()
    const refusals: StateTransitionRefusal[] = []
    const own = machine(true)
    own.components.booking.coordinates.payment.transitions.none = ['paid']
    const { url } = await startBaxter(sally, {
      peers: { sally: { url: `${sally.url}/`, scopes: ['state:write'] } },
      stateMachines: [own],
      turns: { onStateTransitionRejected: (refusal) => refusals.push(refusal) },
    })
    const talk = await Conversation.open(url)
    await talk.say('Select it, please.')
    await talk.settled(1)
    expect(talk.stream.state).toEqual(unmoved)
    expect(refusals).toMatchObject([{ peer: 'sally', reason: expect.stringContaining('booking.payment') as string }])
  })

  test('passes through verbatim to the agents that ask in turn, when it was applied, with its origin', async () => {
    const { url } = await asked({ scopes: ['state:write'] })
    const client = await stockClient(url)
    const events = await collect(client.sendMessageStream(request(says('Select it, please.'))))
    const made = events.flatMap((event) =>
      event.$case === 'artifactUpdate' ? (event.value.artifact?.parts ?? []) : [],
    )
    const passed = made.filter(({ metadata }) => metadata?.partType === 'setState')
    expect(passed).toMatchObject([{ content: { value: part.data }, metadata: { origin: { peer: 'sally' } } }])
    const { url: strict } = await asked({})
    const others = await collect((await stockClient(strict)).sendMessageStream(request(says('Select it, please.'))))
    expect(JSON.stringify(others)).not.toContain('"setState"')
  })
})

test('000 "setState": a part in a peer’s message is applied for a peer with the scope, and is seen by who follows', async () => {
  const key = apiKey('X-Key', { id: 'carl', scopes: ['state:write'] })
  const { url, beach } = await startAgent({
    access: { authenticators: [key.authenticate] },
    stateMachines: [machine(true)],
  })
  const client = await stockClient(url, 'JSONRPC 1.0', key.headers)
  const content = { $case: 'data' as const, value: part.data }
  const given = { content, metadata: { partType: 'setState' }, filename: '', mediaType: '' }
  await client.sendMessage(request(says('', { parts: [given] })))
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  const [session] = (await beach.sessions.list({}, operator)).items
  expect((await beach.sessions.view(session?.sessionId ?? '', operator)).coordinates).toEqual(moved)
})
