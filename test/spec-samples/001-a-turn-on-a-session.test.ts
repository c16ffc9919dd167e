import {
  PartTypeRegistry,
  simulatedRuntime,
  TurnStateRegistry,
  type Channel,
  type Envelope,
  type Frame,
  type Originator,
} from '@cool-ai/beach-core'
import { LlmContextTranslator, registerEnvelopePartTypes, SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { defineActor, SessionTurnManager, type ActorContext, type ActorOptions } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'

// Documents 001 ("Sequence for a typical turn", "Partial envelopes") and 004 ("Turn states") on a running session, with a
// chat panel (streaming), a mailbox (buffered) and a peer whose model wants llm-context (buffered).

const principal = { kind: 'user', id: 'alice', tenant: 'acme' } as const
const panel: Originator = { id: 'panel', transport: 'sse', deliveryClass: 'streaming', principal }
const mailbox: Originator = { id: 'mailbox', transport: 'smtp', deliveryClass: 'buffered', principal }
const peer: Originator = {
  id: 'peer',
  transport: 'a2a',
  deliveryClass: 'buffered',
  principal,
  consumes: ['llm-context'],
}

interface Heard {
  /** Part types in the order in which the panel saw them. */
  readonly panel: string[]
  readonly frames: Frame[]
  readonly mailbox: Envelope[]
  readonly peer: Envelope[]
}

/** Runs one turn of the actor for all three listeners, and grants what it asks for. */
async function turnOf(run: (turn: ActorContext) => Promise<void>, options?: ActorOptions): Promise<Heard> {
  const runtime = simulatedRuntime()
  const partTypes = PartTypeRegistry.canonical()
  registerEnvelopePartTypes(partTypes)
  const received: Heard = { panel: [], frames: [], mailbox: [], peer: [] }
  const templates = new SurfaceTemplateRegistry()
  templates.register('flight-results', () => ({ version: 'v0.9', createSurface: { surfaceId: 'flights' } }))
  const sessions = new SessionTurnManager({
    store: new MemoryStore({ runtime }),
    runtime,
    partTypes,
    turnStates: TurnStateRegistry.canonical(),
    templates,
    translator: new LlmContextTranslator({ model: { generate: async () => 'Analytical prose.' } }),
    actors: { actor: defineActor(run, options), drafter: defineActor(drafter) },
    entry: 'actor',
    channels: [push('smtp', received.mailbox), push('a2a', received.peer)],
  })
  sessions.start()
  const session = await sessions.open({ principal })
  await sessions.join(session, mailbox, principal)
  await sessions.join(session, peer, principal)
  await sessions.post(session, { parts: [{ text: 'hi', metadata: { partType: 'message' } }], from: panel }, principal)
  const end = new AbortController()
  for await (const frame of sessions.follow(session, panel, undefined, end.signal)) {
    received.frames.push(frame)
    if (frame.kind === 'part' && frame.role === 'agent') received.panel.push(frame.part.metadata.partType)
    if (frame.kind === 'part' && frame.part.metadata.partType === 'approval-request') {
      const { approvalId } = frame.part.data as { approvalId: string }
      await sessions.decide(approvalId, { decision: 'granted' }, principal)
    }
    if (frame.kind === 'settled') break
  }
  await runtime.clock.advance(60_000)
  await sessions.stop()
  return received
}

async function drafter({ respond }: ActorContext): Promise<void> {
  await respond({ parts: [{ partType: 'response', text: 'Drafted.' }], turnState: 'complete' })
}

function push(transport: string, got: Envelope[]): Channel {
  return {
    transport,
    deliveryClass: 'buffered',
    start: async () => {},
    send: async (_to, envelope) => {
      got.push(envelope)
      return { status: 'sent' }
    },
  }
}

const types = (envelopes: readonly Envelope[]) =>
  envelopes.map((envelope) => envelope.parts.map((part) => part.metadata.partType))
const flights = { data: { outbound: 'BA 2043' }, metadata: { partType: 'domain-data', kind: 'flight-results' } }
const response = { partType: 'response', text: 'Two flights.' }

test('the sequence for a typical turn: injections are collected, each listener gets its own form', async () => {
  const search = { run: async () => ({ inbound: 'BA 2044' }) }
  const received = await turnOf(
    async ({ respond, manifest }) => {
      await respond({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
      const tools = await manifest({ name: 'tools', slots: { inbound: { work: 'search' } } })
      await respond({ parts: [{ partType: 'thinking', text: 'Filtering.' }], turnState: 'awaiting' })
      await tools.settled()
      await respond({ parts: [response, flights], turnState: 'complete' })
    },
    { works: { search } },
  )
  expect(received.panel).toEqual(expect.arrayContaining(['ack', 'thinking', 'domain-data', 'response', 'a2ui-surface']))
  expect(received.panel).not.toContain('llm-context')
  // One envelope, at settlement, with all data of the mailbox; llm-context for peers that consume it.
  expect(types(received.peer)).toEqual([['domain-data', 'domain-data', 'response', 'llm-context', 'a2ui-surface']])
  expect(received.peer[0]?.parts.flatMap(({ data }) => data ?? [])).toMatchObject([
    { outbound: 'BA 2043' },
    { inbound: 'BA 2044' },
    expect.anything(),
  ])
  expect(received.mailbox).toHaveLength(1)
  expect(types(received.mailbox)[0]).toContain('response')
  expect(types(received.mailbox)[0]).not.toContain('llm-context')
  expect(received.peer[0]?.meta).toMatchObject({ finalizedBy: 'complete', originatorId: 'peer', turnState: 'complete' })
})

test('a clarification is flushed to every listener, and no envelope is built', async () => {
  const clarify = { partType: 'clarify', text: 'Gatwick or Heathrow?' }
  const received = await turnOf(async ({ respond }) => {
    await respond({ parts: [flights], turnState: 'awaiting' })
    await respond({ parts: [clarify], turnState: 'clarifying' })
  })
  expect(received.panel).toEqual(['domain-data', 'clarify'])
  expect(types(received.mailbox)).toEqual([['clarify']])
  expect(types(received.peer)).toEqual([['clarify']])
})

test('an error is flushed to every listener, and no envelope is built', async () => {
  const received = await turnOf(async ({ respond }) => {
    await respond({ parts: [{ partType: 'error', text: 'No flights at all.' }], turnState: 'error' })
  })
  expect([received.panel, ...types(received.mailbox), ...types(received.peer)]).toEqual([
    ['error'],
    ['error'],
    ['error'],
  ])
})

test('a suspended turn pauses at its approval-request and goes on when it is answered', async () => {
  const received = await turnOf(async ({ respond, tool }) => {
    await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 'booked')
    await respond({ parts: [response], turnState: 'complete' })
  })
  expect(received.panel).toEqual(['approval-request', 'a2ui-surface', 'response'])
  expect(types(received.mailbox)).toEqual([['approval-request'], ['response']])
  expect(received.mailbox[0]?.meta).not.toHaveProperty('finalizedBy')
})

test('a progress-only turn delivers progress only, to streaming listeners', async () => {
  const received = await turnOf(async ({ respond }) => {
    await respond({
      parts: [{ partType: 'progress', data: { label: 'Halfway', done: 1, total: 2 } }],
      turnState: 'awaiting',
    })
    await respond({
      parts: [{ partType: 'progress', data: { label: 'Done', done: 2, total: 2 } }],
      turnState: 'complete',
    })
  })
  expect(received.panel).toEqual(['progress', 'progress'])
  expect(received.mailbox).toEqual([])
  // A peer is told that the turn is over.
  expect(types(received.peer)).toEqual([[]])
})

test('a passed turn goes on with the named actor, whose envelope it becomes', async () => {
  const received = await turnOf(async ({ respond }) => {
    const thinking = { partType: 'thinking', text: 'Handing off to the drafter.' }
    await respond({ parts: [thinking], turnState: 'passed', passTo: 'drafter' })
  })
  expect(received.panel).toEqual(['thinking', 'response'])
  expect(types(received.mailbox)).toEqual([['response']])
  expect(received.frames.filter((frame) => frame.kind === 'settled')).toHaveLength(1)
})
