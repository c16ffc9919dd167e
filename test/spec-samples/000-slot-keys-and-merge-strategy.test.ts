import { buildEnvelope, mergeValue } from '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "Slot keys and merge strategy". It calls the state `conversationState`; the canonical name is
// `turnState` (spec README, "lifecycle field"), and both are accepted.

const sessionId = 'sess_abc123'
const eventId = 'evt_1'
const originatorId = 'orig_1'
const conversationState = 'complete'
const parts = [
  { partType: 'response', text: 'Rome in three days.' },
  { partType: 'domain-data', data: { days: 3 } },
]

test('the sample stamps slot key and strategy on domain-data parts', () => {
  const envelope = buildEnvelope({
    sessionId,
    eventId,
    originatorId,
    conversationState,
    parts,
    slotKey: 'ta.research-rome',
    mergeStrategy: 'replace',
  })
  expect(envelope.parts).toEqual([
    { text: 'Rome in three days.', metadata: { partType: 'response' } },
    {
      data: { days: 3 },
      metadata: { partType: 'domain-data', slotKey: 'ta.research-rome', mergeStrategy: 'replace' },
    },
  ])
  expect(envelope.meta).toMatchObject({ sessionId, eventId, originatorId, turnState: 'complete', turnId: eventId })
})

test('both are optional, and the strategy is replace by default', () => {
  const plain = buildEnvelope({ sessionId, eventId, originatorId, conversationState, parts })
  expect(plain.parts[1]?.metadata).toEqual({ partType: 'domain-data' })
  const slotted = buildEnvelope({ sessionId, eventId, originatorId, conversationState, parts, slotKey: 'ta.rome' })
  expect(slotted.parts[1]?.metadata).toMatchObject({ slotKey: 'ta.rome', mergeStrategy: 'replace' })
})

test('new data for the same slot replaces or merges with the previous value', () => {
  const previous = { days: [1], city: 'Rome' }
  expect(mergeValue('replace', previous, { days: [2] })).toEqual({ days: [2] })
  expect(mergeValue('deep-merge', previous, { days: [2] })).toEqual({ days: [2], city: 'Rome' })
  expect(mergeValue('append', [previous], { days: [2] })).toEqual([previous, { days: [2] }])
})
