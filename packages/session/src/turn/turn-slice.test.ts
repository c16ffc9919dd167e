import type { EventDraft } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import { turnSlice } from './turn-slice.ts'

const folded = (drafts: readonly EventDraft[]) =>
  drafts.reduce(
    (state, draft, index) => turnSlice.fold(state, { ...draft, id: `ev_${index}`, v: 1, at: 0 }, index + 1),
    turnSlice.initial,
  )

const result = (turnId: string, depth: number): EventDraft => {
  const of = { turnId, manifestId: 'm', originators: [], actor: 'agent', depth }
  return { type: 'slotFilled', slot: 'a', key: 'a', outcome: 'ok', ...of } as unknown as EventDraft
}
const started: EventDraft = { type: 'turnStarted', turnId: 'turn_2', actor: 'agent', messageIds: ['m.a'], epoch: 1 }

test('a turn that a result begins is as deep in its row as that result', () => {
  expect(folded([result('turn_1', 3), started]).turn).toMatchObject({ turnId: 'turn_2', depth: 3 })
})

test('a question that is withdrawn is that of its turn, and of no other', () => {
  const withdrawn: EventDraft = { type: 'questionWithdrawn', turnId: 'turn_2' }
  const settled = (turnId: string): EventDraft => ({
    type: 'turnSettled',
    turnId,
    turnState: 'complete',
    finalizedBy: 'complete',
  })
  const { recent } = folded([
    started,
    settled('turn_2'),
    { ...started, turnId: 'turn_3' },
    settled('turn_3'),
    withdrawn,
  ])
  expect(recent).toMatchObject([
    { turnId: 'turn_2', isWithdrawn: true },
    { turnId: 'turn_3', turnState: 'complete' },
  ])
  expect(recent[1]).not.toHaveProperty('isWithdrawn')
})

test('a result is progress: resumes are counted anew', () => {
  const resumed: EventDraft = { type: 'turnResumed', turnId: 'turn_2', attempt: 4, epoch: 2 }
  expect(folded([result('turn_1', 1), started, resumed]).turn).toMatchObject({ attempt: 4 })
  expect(folded([result('turn_1', 1), started, resumed, result('turn_2', 2)]).turn).toMatchObject({ attempt: 0 })
})
