import { expect, test } from 'vitest'
import { decisionFromAction } from './answer.ts'

const action = {
  name: 'approval.decide',
  surfaceId: 'approval-a1',
  sourceComponentId: 'approve',
  timestamp: '2026-04-20T10:00:00Z',
  context: { approvalId: 'a1', decision: 'granted' },
}

test('the surface of an approval decides that one', () => {
  expect(decisionFromAction(action)).toEqual({ approvalId: 'a1', decision: 'granted' })
  expect(decisionFromAction({ ...action, name: 'book' })).toBeUndefined()
})

test.each([
  ['another surface', { surfaceId: 'flights' }],
  ['the surface of another approval', { surfaceId: 'approval-a2' }],
  ['a surface without an id', { context: { decision: 'granted' } }],
  ['a surface with an odd id', { surfaceId: 'approval-a1', context: { approvalId: ['a1'], decision: 'granted' } }],
])('%s does not', (_, more) => {
  expect(() => decisionFromAction({ ...action, ...more })).toThrow('not made for that decision')
})
