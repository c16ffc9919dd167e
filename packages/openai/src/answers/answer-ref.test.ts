import { expect, test } from 'vitest'
import { callIdOf, parseCallId, parseResponseId, responseId, type AnswerRef } from './answer-ref.ts'

const terms = { isStored: true, decides: false, isDetached: true, isJson: false }
const ofMessage: AnswerRef = { session: 'sess_abc2', from: 123, of: { messageId: 'msg_def3' }, ...terms }
const ofTurn: AnswerRef = { ...ofMessage, of: { turnId: 'turn_def3' }, isStored: false, decides: true, isJson: true }

test('ids say what they are of', () => {
  for (const ref of [ofMessage, ofTurn]) expect(parseResponseId(responseId(ref))).toEqual(ref)
  const call = { answer: ofTurn, kind: 'call' as const, id: 'turn_def3.tool4' }
  expect(parseCallId(callIdOf(call))).toEqual(call)
  expect(callIdOf(call)).toMatch(/^[A-Za-z0-9_-]+$/)
})

test.each([
  '',
  'resp_',
  'resp_a_b_c',
  'resp_abc_z12_def',
  'resp_../x_312_a',
  'resp_ABC_312_def',
  'resp_a_3zzzzzzzzzzzz_b',
])('%j is no id of a response', (id) => {
  expect(parseResponseId(id)).toBeUndefined()
  expect(parseCallId(id.replace('resp', 'call'))).toBeUndefined()
})
