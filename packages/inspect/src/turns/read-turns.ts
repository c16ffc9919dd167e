import type { Store } from '@cool-ai/beach-core'
import { toLogged } from '@cool-ai/beach-core/log'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { turnsPerMark, type SessionRow } from '../listing/session-row.ts'
import type { TurnSpan } from './turn-span.ts'
import { TurnSpans } from './turn-spans.ts'

const pageSize = 500
const maxCharacters = 4 * 1024 * 1024
/** What is looked at after the last turn has settled: its deliveries. */
const afterEvents = 500
const maxEvents = 20_000

/** A page of turns, oldest first: page 0 has the first ones. A page is read from its mark on, not from the beginning. */
export async function readTurns(store: Store, row: SessionRow, page: number): Promise<readonly TurnSpan[]> {
  const from = row.turnMarks[page]
  if (from === undefined) return []
  const spans = new TurnSpans(turnsPerMark)
  let left = maxEvents
  let isLast = false
  for (let at = from - 1; left > 0;) {
    const events = (await store.read(row.sessionId, at, Math.min(pageSize, left), maxCharacters)).map(toLogged)
    for (const event of events) spans.add(event)
    at = events.at(-1)?.seq ?? at
    left -= events.length
    if (events.length === 0 || isLast) break
    if (spans.isComplete) {
      isLast = true
      left = Math.min(left, afterEvents)
    }
    await yieldToEventLoop()
  }
  return spans.spans
}
