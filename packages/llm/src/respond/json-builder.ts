import { BeachError } from '@cool-ai/beach-core'
import type { TextSink } from './json-string.ts'

/** Where a value stands: the keys and indices that lead to it. */
export type JsonPath = readonly (string | number)[]

/** Observes a value while it is read. */
export interface JsonWatcher {
  /** A string begins, not a key; what is returned is given its text as it arrives. */
  string(path: JsonPath): TextSink | undefined
  value(path: JsonPath, value: unknown): void
}

type Container = unknown[] | Record<string, unknown>

/** Puts values together from the inside out, as `JSON.parse` would. */
export class JsonBuilder {
  root: unknown
  readonly #path: (string | number)[] = []
  readonly #open: Container[] = []
  readonly #maxDepth: number
  readonly #watcher: JsonWatcher | undefined

  constructor(maxDepth: number, watcher?: JsonWatcher) {
    this.#maxDepth = maxDepth
    this.#watcher = watcher
  }

  get depth(): number {
    return this.#open.length
  }

  get isInArray(): boolean {
    return typeof this.#path.at(-1) === 'number'
  }

  openArray(): void {
    this.#push([], 0)
  }

  openObject(): void {
    this.#push({}, '')
  }

  key(key: string): void {
    this.#path[this.depth - 1] = key
  }

  sink(): TextSink | undefined {
    return this.#watcher?.string(this.#path)
  }

  add(value: unknown): void {
    this.#watcher?.value(this.#path, value)
    const container = this.#open.at(-1)
    if (container === undefined) this.root = value
    else if (Array.isArray(container)) this.#path[this.depth - 1] = container.push(value)
    else setMember(container, String(this.#path.at(-1)), value)
  }

  close(): void {
    const container = this.#open.pop()
    this.#path.pop()
    this.add(container)
  }

  #push(container: Container, key: string | number): void {
    if (this.depth === this.#maxDepth) {
      throw new BeachError('TOO_DEEP', `The JSON is nested more than ${this.#maxDepth} levels deep: make it flatter.`)
    }
    this.#open.push(container)
    this.#path.push(key)
  }
}

// An assignment would set the object's prototype instead of a member of that name.
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
