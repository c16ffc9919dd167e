/** A part of what a store of sessions holds, as it moves to another one. The events of a session follow its record. */
export type SessionRecord =
  | { readonly kind: 'key'; readonly key: string; readonly value: string; readonly at: number }
  | {
      readonly kind: 'session'
      readonly id: string
      /** The seqs of its first and its last event; for a dropped session, of the last one that it had. */
      readonly first: number
      readonly head: number
      readonly isDropped?: true
      readonly wake?: { readonly at: number; readonly since: number }
    }
  /** One append: its events have consecutive seqs from `seq`. */
  | { readonly kind: 'events'; readonly seq: number; readonly events: readonly unknown[] }
  /** The highest seq that the store has given, where seqs count over all sessions. */
  | { readonly kind: 'highest'; readonly seq: number }

/** Whether seqs count over all sessions of a store, or in each session by themselves. */
export type SeqsOf = 'store' | 'session'

/** Where the events that come next belong. */
export interface SessionPlace {
  readonly session?: string
  /** What a file of SQLite knows the session by. */
  readonly number?: number
  /** How much higher the session's seqs are in the new store. */
  readonly offset: number
  /** The highest seq that the new store has given so far. */
  readonly highest: number
}

/** Where reading all sessions begins. */
export const firstPlace: SessionPlace = { offset: 0, highest: 0 }

/**
 * The place after a record. A store whose seqs count over all sessions takes those of another such store as they are;
 * others it raises, all of a session by the same number, past every seq of before: a seq that a client remembers then
 * is none of the session's, and the client begins anew instead of missing events.
 */
export function nextPlace(place: SessionPlace, record: SessionRecord, raises: boolean): SessionPlace {
  if (record.kind === 'highest') return { ...place, highest: Math.max(place.highest, record.seq) }
  if (record.kind !== 'session') return place
  const offset = raises ? Math.max(place.highest, record.head) : 0
  const number = record.first + offset
  return { session: record.id, number, offset, highest: Math.max(place.highest, record.head + offset) }
}
