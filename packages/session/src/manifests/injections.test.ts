import type { EventDraft, LoggedEvent } from '@cool-ai/beach-core/log'
import { expect, test } from 'vitest'
import { lacksInjections } from './injections.ts'

const logged = (...drafts: EventDraft[]): LoggedEvent[] =>
  drafts.map((draft, index) => ({ seq: index + 1, event: { ...draft, id: `ev_${index}`, v: 1, at: 0 } }))

const started = (turnId: string, messageIds: string[]): EventDraft => {
  return { type: 'turnStarted', turnId, actor: 'agent', messageIds, epoch: 1 }
}
const settled: EventDraft = {
  type: 'manifestSettled',
  turnId: 'one',
  manifestId: 'm',
  ...of(),
} as unknown as EventDraft
const cancel: EventDraft = { type: 'cancelRequested', turnId: 'two' }

function of() {
  return { name: 'all', actor: 'agent', originators: [], depth: 1, finalizedBy: 'complete', missing: [], slots: {} }
}

test.each([
  ['a turn that began with messages only', logged(started('two', ['msg_1'])), false],
  ['a turn that began with a result that is there', logged(settled, started('two', ['m'])), false],
  ['a turn that began with a result that is not', logged(started('one', ['msg_1']), started('two', ['m'])), true],
  ['a turn that something else is told of first', logged(cancel, started('two', ['m'])), true],
  ['a turn that is not there', logged(started('one', ['m'])), false],
])('whether results are missing is known of %s', (_, events, expected) => {
  expect(lacksInjections(events, 'two')).toBe(expected)
})
