import { PassingMap } from './passing-map.ts'

/** A map that keeps its latest entries only. */
export class RecentMap<Value> {
  readonly #most: number
  readonly #entries = new PassingMap<string, Value>()

  constructor(most: number) {
    this.#most = most
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /** Sets an entry, which is the latest from here on. */
  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  values(): MapIterator<Value> {
    return this.#entries.values()
  }
}
