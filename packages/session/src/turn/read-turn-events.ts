import type { LoggedEvent, SessionLog } from '@cool-ai/beach-core/log'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'

const pageSize = 500
// Turns are short beside what may come after them: of that little is read in vain.
const pageCharacters = 200_000

/**
 * The events from a seq on up to the end of a turn, or of the log when the turn is still open. With `upTo`, the turn is
 * known to have ended by then.
 */
export async function readTurnEvents(
  log: SessionLog,
  session: string,
  turnId: string,
  since: number,
  upTo = Infinity,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (let after = since - 1; ;) {
    const page = await log.readUpTo(session, after, upTo, pageSize, pageCharacters)
    const end = page.findIndex(({ event }) => event.type === 'turnSettled' && event.turnId === turnId)
    events.push(...(end === -1 ? page : page.slice(0, end + 1)))
    const last = page.at(-1)
    if (end !== -1 || last === undefined || last.seq >= upTo) return events
    after = last.seq
    await yieldToEventLoop()
  }
}
