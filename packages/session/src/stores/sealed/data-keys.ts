import { randomBytes } from 'node:crypto'
import type { Store } from '@cool-ai/beach-core'
import { keyBytes, notOpened, Sealing, type MainKeys } from '@cool-ai/beach-core/encryption'
import { LruMap } from '@cool-ai/beach-core/runtime'
import { dataKeyOf } from './sealed-event.ts'

const maxKnown = 2_000
const ownMark = 'k.'
/** In place of a data key that was destroyed. */
export const destroyed = ''

/**
 * The key of one log. It has one of its own, which its first event carries, unless it was begun before the data was
 * encrypted or its content was erased: then the key follows from the main key.
 */
export class DataKey {
  readonly #main: MainKeys
  readonly #log: string
  readonly #own: Sealing | 'destroyed' | undefined

  constructor(main: MainKeys, log: string, own?: Sealing | 'destroyed') {
    this.#main = main
    this.#log = log
    this.#own = own
  }

  seal(kind: string, content: string): string {
    const place = [kind, this.#log]
    if (!(this.#own instanceof Sealing)) return this.#main.seal('log', content, place)
    return ownMark + this.#own.seal(content, place).toString('base64url')
  }

  /** True for what this key has sealed, and an earlier one has not. */
  isNewest(sealed: string): boolean {
    return sealed.startsWith(this.#own instanceof Sealing ? ownMark : `${this.#main.current}.`)
  }

  /** The text; undefined when it was sealed by a key of the log's own that was destroyed. */
  open(kind: string, sealed: string): string | undefined {
    const place = [kind, this.#log]
    if (!sealed.startsWith(ownMark)) return this.#main.open('log', sealed, place).toString()
    if (this.#own === 'destroyed') return undefined
    if (this.#own === undefined) throw notOpened(place)
    return this.#own.open(Buffer.from(sealed.slice(ownMark.length), 'base64url'), place).toString()
  }
}

/** The keys of the logs of a store. */
export class DataKeys {
  readonly #store: Pick<Store, 'read'>
  readonly #main: MainKeys
  readonly #known = new LruMap<DataKey>(maxKnown)

  constructor(store: Pick<Store, 'read'>, main: MainKeys) {
    this.#store = store
    this.#main = main
  }

  /** A new key for a log that begins, and what its first event carries. */
  fresh(log: string): { readonly key: DataKey; readonly wrapped: string } {
    const bytes = randomBytes(keyBytes)
    const wrapped = this.#main.seal('data key', bytes, ['data key', log])
    return { key: new DataKey(this.#main, log, new Sealing(bytes)), wrapped }
  }

  known(log: string): DataKey | undefined {
    return this.#known.get(log)
  }

  async of(log: string): Promise<DataKey> {
    const known = this.#known.get(log)
    if (known !== undefined) return known
    const [first] = await this.#store.read(log, 0, 1)
    const key = this.keyIn(log, first?.data)
    // One that does not exist yet gets a key with its first event.
    if (first !== undefined) this.#known.set(log, key)
    return key
  }

  /** The key that the first event of a log brings. */
  keyIn(log: string, first: unknown): DataKey {
    const wrapped = dataKeyOf(first)
    if (wrapped === undefined) return new DataKey(this.#main, log)
    if (wrapped === destroyed) return new DataKey(this.#main, log, 'destroyed')
    const bytes = this.#main.open('data key', wrapped, ['data key', log])
    if (bytes.byteLength !== keyBytes) throw notOpened(['data key', log])
    return new DataKey(this.#main, log, new Sealing(bytes))
  }

  learn(log: string, key: DataKey): void {
    this.#known.set(log, key)
  }

  forget(log: string): void {
    this.#known.delete(log)
  }
}
