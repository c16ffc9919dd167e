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
