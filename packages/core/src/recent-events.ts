import type { LoggedEvent } from './events.ts'
import { LruMap } from './maps.ts'

interface Recent {
  /** Everything after this seq is there, up to the last one. */
  readonly after: number
  readonly last: number
  readonly events: readonly LoggedEvent[]
  /** How much more may be kept. */
  readonly left: number
}

const maxSessions = 200
const maxEvents = 64
const maxCharacters = 32_000

/** The latest events of the most recently used sessions, so that what was just written need not be read again. */
export class RecentEvents {
  readonly #sessions = new LruMap<Recent>(maxSessions)

  /** Events that follow `before` without a gap: kept with those before, or alone when both would be too much. */
  add(session: string, before: number, events: readonly LoggedEvent[]): void {
    const last = events.at(-1)?.seq
    if (last === undefined) return
    const known = this.#sessions.get(session)
    const kept = known?.last === before && known.events.length + events.length <= maxEvents ? known : undefined
    const left = kept === undefined ? -1 : leftAfter(events, kept.left)
    if (kept !== undefined && left >= 0) {
      return this.#sessions.set(session, { after: kept.after, last, events: [...kept.events, ...events], left })
    }
    const alone = events.length > maxEvents ? -1 : leftAfter(events, maxCharacters)
    const recent = alone < 0 ? { after: last, events: [], left: maxCharacters } : { after: before, events, left: alone }
    this.#sessions.set(session, { ...recent, last })
  }

  /** Events after a seq, if they are known at least up to another; undefined when some are not. */
  after(session: string, after: number, upTo: number, limit = Infinity): readonly LoggedEvent[] | undefined {
    const known = this.#sessions.get(session)
    if (known === undefined || after < known.after || known.last < upTo) return undefined
    const first = known.events.findIndex(({ seq }) => seq > after)
    return first === -1 ? [] : known.events.slice(first, first + limit)
  }

  delete(session: string): void {
    this.#sessions.delete(session)
  }
}

// About what a name, a number and the marks around them take in memory.
const each = 16

/**
 * How much of the budget is left after a value, estimated without writing it as JSON; a negative result only means that
 * it is used up.
 */
function leftAfter(value: unknown, budget: number): number {
  let left = budget - each
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const entry of Object.values(value)) {
    if (left < 0) return left
    left = leftAfter(entry, left)
  }
  return left
}
