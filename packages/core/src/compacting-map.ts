// Begun anew after so many deletions, and not before most of the map has changed.
const minDeletions = 64

/**
 * A map that much passes through, with the parts of `Map` that are needed. A `Map` whose table is full or nearly empty
 * gets another, and V8 lets the old table refer to the new one. Once a table has grown old, each after it, and all that
 * was in there at its end, is therefore kept until the next major collection: what was taken out long ago grows old as
 * well. Here a new `Map` is begun before that adds up.
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
