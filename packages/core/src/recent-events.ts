import type { LoggedEvent } from './events.ts'

interface Recent {
  /** Everything after this seq is there. */
  readonly after: number
  readonly events: readonly LoggedEvent[]
}

const mostSessions = 100
const mostEvents = 200

/** The last events of the sessions that were used last, so that what has just been written need not be read again. */
export class RecentEvents {
  readonly #sessions = new Map<string, Recent>()

  /** Events that follow `before` without a gap. */
  add(session: string, before: number, events: readonly LoggedEvent[]): void {
    const known = this.#sessions.get(session)
    const last = known?.events.at(-1)?.seq ?? known?.after
    this.#sessions.delete(session)
    const continued = known !== undefined && last === before
    this.#sessions.set(
      session,
      bounded(continued ? known.after : before, continued ? [...known.events, ...events] : events),
    )
    if (this.#sessions.size <= mostSessions) return
    const [oldest] = this.#sessions.keys()
    if (oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** Events after a seq, as far as they are known; undefined when some are not. */
  after(session: string, after: number, limit = Infinity): readonly LoggedEvent[] | undefined {
    const known = this.#sessions.get(session)
    if (known === undefined || after < known.after) return undefined
    const first = known.events.findIndex(({ seq }) => seq > after)
    return first === -1 ? [] : known.events.slice(first, first + limit)
  }

  delete(session: string): void {
    this.#sessions.delete(session)
  }
}

function bounded(after: number, events: readonly LoggedEvent[]): Recent {
  if (events.length <= mostEvents) return { after, events }
  const dropped = events.length - mostEvents
  return { after: events[dropped - 1]?.seq ?? after, events: events.slice(dropped) }
}
