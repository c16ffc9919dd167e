import { turnStates } from '@cool-ai/beach-core'
import { buildEnvelope } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 004, "Turn states": the table. "Partial (streaming)" means that parts flow while the turn goes on; an
// envelope is emitted only where the table says "Yes".

test.each([
  ['awaiting', { isTerminal: false, emitsEnvelope: false, holdsActor: true }],
  ['complete', { isTerminal: true, emitsEnvelope: true, holdsActor: false }],
  ['clarifying', { isTerminal: true, emitsEnvelope: false, holdsActor: false }],
  ['error', { isTerminal: true, emitsEnvelope: false, holdsActor: false }],
  ['suspended', { isTerminal: false, emitsEnvelope: false, holdsActor: true }],
  ['delegated', { isTerminal: false, emitsEnvelope: false, holdsActor: true }],
  // "The session manager treats this as terminal for the current actor's turn and begins a new turn."
  ['passed', { isTerminal: true, emitsEnvelope: false, holdsActor: false }],
])('%s', (id, meaning) => {
  expect(turnStates.get(id)).toMatchObject({ ...meaning, isCanonical: true })
  const data = { partType: 'domain-data', data: {} }
  const envelope = buildEnvelope({ sessionId: 's', turnId: 't', turnState: id, mailbox: [data], parts: [] })
  expect(envelope.parts).toHaveLength(meaning.emitsEnvelope ? 1 : 0)
})

test('consumers register states with isTerminal, emitsEnvelope and holdsActor', () => {
  turnStates.register({ id: 'ta.quoted', isTerminal: true, emitsEnvelope: true, holdsActor: false })
  expect(turnStates.get('ta.quoted')).toMatchObject({ emitsEnvelope: true, isCanonical: false })
})
