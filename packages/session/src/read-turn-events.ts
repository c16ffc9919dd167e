import type { LoggedEvent, SessionLog } from '@cool-ai/beach-core'

const pageSize = 500

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
    const page = await log.readUpTo(session, after, upTo, pageSize)
    const end = page.findIndex(({ event }) => event.type === 'turnSettled' && event.turnId === turnId)
    events.push(...(end === -1 ? page : page.slice(0, end + 1)))
    const last = page.at(-1)
    if (end !== -1 || last === undefined || page.length < pageSize) return events
    after = last.seq
  }
}
