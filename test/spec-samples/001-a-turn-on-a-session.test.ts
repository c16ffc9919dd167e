import { ui } from '@cool-ai/beach-a2ui'
import { defineActor, type ActorContext, type ActorOptions } from '@cool-ai/beach-session'
import { emailOriginator } from '@cool-ai/beach-email'
import { LlmContextTranslator, SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import type { Message, Task } from '@a2a-js/sdk'
import { expect, test, type TestContext } from 'vitest'
import { answerOf, request, says, stateOf, stockClient, textsOf } from '../a2a/agent.ts'
import { followed, mailbox, newSession, reachable, type Received } from '../support/listeners.ts'

// Documents 001 ("Sequence for a typical turn", "Partial envelopes") and 004 ("Turn states") on a session of an agent that
// createBeach builds, with three listeners: a chat panel by server-sent events, a mailbox behind a mail server, and a peer
// by A2A whose Agent Card says that its model wants llm-context. The peer asks, all three hear.

const flights = { data: { outbound: 'BA 2043' }, metadata: { partType: 'domain-data', kind: 'flight-results' } }
const response = { partType: 'response', text: 'Two flights.' }
const person = { kind: 'user', id: 'anna', tenant: 'default' } as const
const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
const address = 'anna@home.example'

interface ReceivedByAll {
  readonly panel: Received
  readonly mails: Received
  /** A message with the whole answer, or a task where it is no answer yet. */
  readonly peer: Message | Task
  /** Ends with a turn that says something to every listener: what was to come before it has come. */
  readonly afterwards: () => Promise<void>
  /** Decides the approval that the turn waits for, in the panel. */
  readonly grant: () => Promise<void>
}

/** Runs one turn of the actor for all three listeners. */
async function turnOf(
  context: TestContext,
  run: (turn: ActorContext) => Promise<void>,
  options?: ActorOptions,
): Promise<ReceivedByAll> {
  const templates = new SurfaceTemplateRegistry()
  templates.register('flight-results', () => ui.surface({ surfaceId: 'flights', root: ui.text('BA 2043') }))
  const said = async (turn: ActorContext) => {
    if (turn.text !== 'And now?') return run(turn)
    await turn.respond({ parts: [{ partType: 'response', text: 'That was all.' }], turnState: 'complete' })
  }
  const agent = await reachable(context, {
    actors: { actor: defineActor(said, options), drafter: defineActor(drafter) },
    entry: 'actor',
    templates,
    turns: { translator: new LlmContextTranslator({ model: { generate: async () => 'Analytical prose.' } }) },
  })
  const { url, beach, peer } = agent
  const session = await newSession(url)
  const { sessionId, token, path, headers } = session
  await beach.sessions.join(sessionId, emailOriginator({ address, principal: person }), operator)
  const panel = followed(session)
  const mails = mailbox(agent, address)
  const client = await stockClient(url, 'JSONRPC 1.0', token)
  const metadata = { ...peer.metadata, [`${BEACH_EXTENSION_URI}/answer`]: 'message' }
  const answer = await client.sendMessage(request(says('Flights?', { contextId: sessionId, metadata })))
  return {
    panel,
    mails,
    peer: answer,
    async afterwards() {
      await fetch(`${path}/messages`, { method: 'POST', headers, body: JSON.stringify({ text: 'And now?' }) })
      await mails.until('That was all.')
    },
    async grant() {
      const approvalId = /"approvalId":"([^"]+)"/.exec(panel.text)?.[1]
      const body = JSON.stringify({ decision: 'granted' })
      await fetch(`${path}/approvals/${approvalId}`, { method: 'POST', headers, body })
      await panel.over()
    },
  }
}

async function drafter({ respond }: ActorContext): Promise<void> {
  await respond({ parts: [{ partType: 'response', text: 'Drafted.' }], turnState: 'complete' })
}

interface PartEvent {
  readonly event: string
  readonly role?: string
  readonly part?: { readonly metadata: { readonly partType: string } }
}

/** The part types of what the agent said, in the order in which the panel saw them. */
const shown = ({ all }: Received) =>
  (all as PartEvent[]).flatMap(({ event, role, part }) =>
    event === 'part' && role === 'agent' ? [part?.metadata.partType] : [],
  )
const texts = ({ all }: Received) => (all as { text?: string }[]).map(({ text }) => text?.trim())
const typesOf = (answer: Message | Task) =>
  'messageId' in answer ? answer.parts.map(({ metadata }) => metadata?.partType as unknown) : []
const taskOf = (answer: Message | Task): Task => {
  if ('messageId' in answer) throw new Error('This is a whole answer.')
  return answer
}

test('the sequence for a typical turn: injections are collected, each listener gets its own form', async (context) => {
  const search = { run: async () => ({ inbound: 'BA 2044' }) }
  const { panel, mails, peer } = await turnOf(
    context,
    async ({ respond, manifest }) => {
      await respond({ parts: [{ partType: 'ack', text: 'On it.' }], turnState: 'awaiting' })
      const tools = await manifest({ name: 'tools', slots: { inbound: { work: 'search' } } })
      await respond({ parts: [{ partType: 'thinking', text: 'Filtering.' }], turnState: 'awaiting' })
      await tools.settled()
      await respond({ parts: [response, flights], turnState: 'complete' })
    },
    { works: { search } },
  )
  await panel.over()
  expect(shown(panel)).toEqual(expect.arrayContaining(['ack', 'thinking', 'domain-data', 'response', 'a2ui-surface']))
  expect(panel.has('Analytical prose.')).toBe(false)
  // One message, at settlement, with all data of the mailbox; llm-context, since the peer's card says that it consumes it.
  expect(typesOf(peer)).toEqual(['domain-data', 'domain-data', 'response', 'llm-context', 'a2ui-surface'])
  expect(JSON.stringify(peer)).toMatch(/"outbound":"BA 2043".*"inbound":"BA 2044".*Analytical prose\./)
  expect(peer.metadata?.meta).toMatchObject({ finalizedBy: 'complete', turnState: 'complete' })
  await mails.until('Two flights.')
  expect(texts(mails)).toEqual([expect.stringContaining('Two flights.')])
  expect(mails.text).not.toMatch(/On it|Filtering|Analytical prose/)
})

test('a clarification is flushed to every listener, and no envelope is built', async (context) => {
  const clarify = { partType: 'clarify', text: 'Gatwick or Heathrow?' }
  const { panel, mails, peer, afterwards } = await turnOf(context, async ({ respond }) => {
    await respond({ parts: [flights], turnState: 'awaiting' })
    await respond({ parts: [clarify], turnState: 'clarifying' })
  })
  await panel.over()
  expect(shown(panel)).toEqual(['domain-data', 'clarify'])
  expect([stateOf(taskOf(peer)), textsOf(taskOf(peer).status?.message)]).toEqual(['INPUT_REQUIRED', [clarify.text]])
  await afterwards()
  expect(texts(mails)).toEqual([clarify.text, 'That was all.'])
  expect(mails.has('BA 2043')).toBe(false)
})

test('an error is flushed to every listener, and no envelope is built', async (context) => {
  const text = 'No flights at all.'
  const { panel, mails, peer, afterwards } = await turnOf(context, async ({ respond }) => {
    await respond({ parts: [{ partType: 'error', text }], turnState: 'error' })
  })
  await panel.over()
  expect(shown(panel)).toEqual(['error'])
  expect([stateOf(taskOf(peer)), textsOf(taskOf(peer).status?.message)]).toEqual(['FAILED', [text]])
  await afterwards()
  expect(texts(mails)).toEqual([text, 'That was all.'])
})

test('a suspended turn pauses at its approval-request and goes on when it is answered', async (context) => {
  const { panel, mails, peer, grant } = await turnOf(context, async ({ respond, tool }) => {
    await tool({ name: 'book', args: { flight: 'BA 2043' }, requiresApproval: true }, async () => 'booked')
    await respond({ parts: [response], turnState: 'complete' })
  })
  await panel.until('approval-request')
  expect([panel.has('"event":"settled"'), stateOf(taskOf(peer))]).toEqual([false, 'INPUT_REQUIRED'])
  await mails.until('BA 2043')
  expect(mails.has('Two flights.')).toBe(false)
  await grant()
  expect(shown(panel)).toEqual(['approval-request', 'a2ui-surface', 'response'])
  await mails.until('Two flights.')
  expect(mails.all).toHaveLength(2)
})

test('a progress-only turn delivers progress only, to streaming listeners', async (context) => {
  const { panel, mails, peer, afterwards } = await turnOf(context, async ({ respond }) => {
    await respond({
      parts: [{ partType: 'progress', data: { label: 'Halfway', done: 1, total: 2 } }],
      turnState: 'awaiting',
    })
    await respond({
      parts: [{ partType: 'progress', data: { label: 'Done', done: 2, total: 2 } }],
      turnState: 'complete',
    })
  })
  await panel.over()
  expect(shown(panel)).toEqual(['progress', 'progress'])
  // The peer is told that the turn is over.
  expect([stateOf(taskOf(peer)), answerOf(taskOf(peer))]).toEqual(['COMPLETED', []])
  await afterwards()
  expect(texts(mails)).toEqual(['That was all.'])
})

test('a passed turn goes on with the named actor, whose envelope it becomes', async (context) => {
  const { panel, mails, peer } = await turnOf(context, async ({ respond }) => {
    const thinking = { partType: 'thinking', text: 'Handing off to the drafter.' }
    await respond({ parts: [thinking], turnState: 'passed', passTo: 'drafter' })
  })
  await panel.over()
  expect(shown(panel)).toEqual(['thinking', 'response'])
  expect(typesOf(peer)).toEqual(['response', 'llm-context'])
  await mails.until('Drafted.')
  expect(texts(mails)).toEqual(['Drafted.'])
})
