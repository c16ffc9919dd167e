import type { Clock, Store } from '@cool-ai/beach-core'
import { SessionIndex } from './session-index.ts'
import { summaryOf } from './session-row.ts'

/** What the inspector's list says of a session; undefined where no inspector has looked at it. */
export async function sessionSummary(store: Store, clock: Clock, session: string) {
  const row = await new SessionIndex(store, clock).row(session)
  return row && summaryOf(row)
}
