/**
 * A map of the entries that were used last: never more than `max`, and at least half as many. When the young half is full
 * the old one is let go as a whole, and the young one is the old one from there on. So nothing has to be kept in order,
 * and no `Map` lives for long that much passes through (see `CompactingMap`).
 */
export class LruMap<Value> {
  readonly #half: number
  readonly #isInUse: (value: Value) => boolean
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** Entries that are in use are kept, also when they are more. */
  constructor(max: number, isInUse: (value: Value) => boolean = () => false) {
    this.#half = Math.max(1, Math.floor(max / 2))
    this.#isInUse = isInUse
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key)
  }

  /** The entry, which counts as used. */
  get(key: string): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) this.#turn()
    this.#old.delete(key)
    this.#young.set(key, value)
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  *values(): Generator<Value> {
    yield* this.#old.values()
    yield* this.#young.values()
  }

  #turn(): void {
    const gone = this.#old
    this.#old = this.#young
    this.#young = new Map()
    for (const [key, value] of gone) if (this.#isInUse(value)) this.#old.set(key, value)
  }
}

// Begun anew after so many deletions, and not before most of the map has changed.
const minDeletions = 64

/**
 * A map with many insertions and deletions over time, with the members of `Map` that are needed. A `Map` whose table is
 * full or nearly empty gets another, and V8 lets the old table refer to the new one. Once a table has grown old, each
 * later table, and all that was in there at its end, is therefore kept until the next major collection: entries that
 * were deleted long ago grow old as well. This map begins a new `Map` before that adds up.
 */
export class CompactingMap<Key, Value> {
  #map = new Map<Key, Value>()
  #deletions = 0

  get size(): number {
    return this.#map.size
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  has(key: Key): boolean {
    return this.#map.has(key)
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value)
  }

  delete(key: Key): boolean {
    if (!this.#map.delete(key)) return false
    if (++this.#deletions >= minDeletions && this.#deletions > this.#map.size) {
      this.#map = new Map(this.#map)
      this.#deletions = 0
    }
    return true
  }

  clear(): void {
    this.#map = new Map()
    this.#deletions = 0
  }

  /** In the order in which they were put; an entry that is deleted during a walk may still come. */
  keys(): MapIterator<Key> {
    return this.#map.keys()
  }

  values(): MapIterator<Value> {
    return this.#map.values()
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.#map[Symbol.iterator]()
  }
}

/**
 * A copy of a table with one more entry. Tables by ids have no prototype: their keys differ from session to session, and
 * an ordinary object would have a shape of its own for each of them. Besides, any key is data there.
 */
export function withEntry<Value>(
  table: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
): Readonly<Record<string, Value>> {
  const copy = Object.assign(emptyTable<Value>(), table)
  copy[key] = value
  return copy
}

export function emptyTable<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}
