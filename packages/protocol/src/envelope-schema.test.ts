import { expect, test } from 'vitest'
import { buildEnvelope } from './build-envelope.ts'
import { envelopeSchema, parseEnvelope } from './envelope-schema.ts'

const meta = { sessionId: 'sess_1', turnId: 'turn_1', producedAt: '2026-04-20T09:50:00Z' }

test('an envelope is read with the part type on the parts and the state under both names', () => {
  const envelope = parseEnvelope({
    role: 'agent',
    parts: [
      { text: 'Hello.', metadata: { partType: 'response' } },
      { partType: 'ta.unknown-here', data: { a: 1 } },
    ],
    meta: { ...meta, conversationState: 'complete', peer: 'kept' },
  })
  expect(envelope).toEqual({
    role: 'agent',
    parts: [
      { text: 'Hello.', partType: 'response', metadata: { partType: 'response' } },
      { data: { a: 1 }, partType: 'ta.unknown-here', metadata: { partType: 'ta.unknown-here' } },
    ],
    meta: { ...meta, turnState: 'complete', conversationState: 'complete', peer: 'kept' },
  })
})

test('an envelope that names only an event is of that event as its turn', () => {
  const { turnId: _, ...rest } = meta
  expect(parseEnvelope({ role: 'agent', parts: [], meta: { ...rest, eventId: 'evt_1' } }).meta).toMatchObject({
    turnId: 'evt_1',
    eventId: 'evt_1',
  })
  expect(() => parseEnvelope({ role: 'agent', parts: [], meta: rest })).toThrow('neither turnId nor eventId')
})

test.each([
  [{ role: 'user', parts: [], meta }, 'envelope.role'],
  [{ role: 'agent', parts: [{ metadata: {} }], meta }, 'A part needs a partType'],
  [{ role: 'agent', parts: ['text'], meta }, 'envelope.parts.0'],
  [{ role: 'agent', parts: [], meta: { ...meta, producedAt: 'now' } }, 'envelope.meta.producedAt'],
  [{ role: 'agent', parts: [], meta: { ...meta, turnState: 'a', conversationState: 'b' } }, 'by another name'],
  [undefined, 'envelope: Invalid input'],
])('%j is refused with the place', (value, message) => {
  expect(() => parseEnvelope(value)).toThrow(message)
})

test('what the builder writes is what the schema accepts and readers read', () => {
  const built = buildEnvelope({ ...meta, parts: [{ partType: 'response', text: 'Hello.' }] })
  expect(envelopeSchema.parse(built)).toEqual(built)
  expect(parseEnvelope(JSON.parse(JSON.stringify(built)))).toMatchObject(built)
})
