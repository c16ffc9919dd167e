import { expect, test } from 'vitest'
import { storyOf } from '../../packages/inspect/page/row-story.ts'

test('a request that was granted says who changed what', () => {
  const detail = { asked: ['sse:anna'], decidedBy: 'user~anna', via: 'smtp', args: { passengers: 4, meal: 'none' } }
  const row = { id: 'r', kind: 'approval', title: 'Book', seq: 1, at: 1, endAt: 2, outcome: 'granted', detail } as const
  expect(storyOf(row).map(({ text }) => text)).toEqual([
    'Requested of sse:anna.',
    'Granted by user anna by mail, with passengers changed to 4 and meal changed to "none".',
  ])
})
