import type { LoggedEvent } from './events.ts'

interface Recent {
  /** Everything after this seq is there. */
  readonly after: number
  readonly events: readonly LoggedEvent[]
}

const mostSessions = 100
const mostEvents = 64
const mostCharacters = 16_000

/** The last events of the sessions that were used last, so that what has just been written need not be read again. */
export class RecentEvents {
  readonly #sessions = new Map<string, Recent>()

  /** Events that follow `before` without a gap. */
  add(session: string, before: number, events: readonly LoggedEvent[]): void {
    const known = this.#sessions.get(session) ?? { after: before, events: [] }
    this.#sessions.delete(session)
    this.#sessions.set(session, lastOf(continued(known, before, events)))
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

/** What is known, and what follows; it begins anew after a gap, and after an event that is too long to be kept. */
function continued(known: Recent, before: number, events: readonly LoggedEvent[]): Recent {
  const long = events.findLastIndex(({ event }) => charactersLeft(event, mostCharacters) < 0)
  const dropped = events[long]
  if (dropped !== undefined) return { after: dropped.seq, events: events.slice(long + 1) }
  const isNext = (known.events.at(-1)?.seq ?? known.after) === before
  return isNext ? { after: known.after, events: [...known.events, ...events] } : { after: before, events }
}

function lastOf({ after, events }: Recent): Recent {
  const dropped = events[events.length - mostEvents - 1]
  return dropped === undefined ? { after, events } : { after: dropped.seq, events: events.slice(-mostEvents) }
}

/** How much of the budget is left after a value; it looks no further once nothing is. */
function charactersLeft(value: unknown, budget: number): number {
  if (typeof value === 'string') return budget - value.length
  if (typeof value !== 'object' || value === null) return budget - 8
  let left = budget - 8
  for (const key in value) {
    left = charactersLeft(value[key as keyof typeof value], left - key.length)
    if (left < 0) return left
  }
  return left
}
