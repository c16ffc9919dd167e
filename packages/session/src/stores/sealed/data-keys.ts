import { randomBytes } from 'node:crypto'
import type { Store } from '@cool-ai/beach-core'
import { keyBytes, notOpened, Sealing, type MainKeys, type TenantKeys } from '@cool-ai/beach-core/encryption'
import { LruMap } from '@cool-ai/beach-core/runtime'
import { dataKeyOf, tenantOf } from './sealed-event.ts'

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
  readonly #tenants: TenantKeys
  readonly #known = new LruMap<DataKey>(maxKnown)

  constructor(store: Pick<Store, 'read'>, tenants: TenantKeys) {
    this.#store = store
    this.#tenants = tenants
  }

  /** A new key for a log that begins with an event, and what that event carries. */
  async fresh(log: string, first: unknown): Promise<{ readonly key: DataKey; readonly wrapped: string }> {
    const bytes = randomBytes(keyBytes)
    const wrapped = await this.#wrap(log, bytes, tenantOf(log, first))
    return { key: new DataKey(this.#tenants.main, log, new Sealing(bytes)), wrapped }
  }

  known(log: string): DataKey | undefined {
    return this.#known.get(log)
  }

  async of(log: string): Promise<DataKey> {
    const known = this.#known.get(log)
    if (known !== undefined) return known
    const [first] = await this.#store.read(log, 0, 1)
    const key = await this.keyIn(log, first?.data)
    // One that does not exist yet gets a key with its first event.
    if (first !== undefined) this.#known.set(log, key)
    return key
  }

  /** The key that the first event of a log brings. */
  async keyIn(log: string, first: unknown): Promise<DataKey> {
    const wrapped = dataKeyOf(first)
    const { main } = this.#tenants
    if (wrapped === undefined) return new DataKey(main, log)
    const bytes = wrapped === destroyed ? undefined : await this.#unwrap(log, wrapped)
    return new DataKey(main, log, bytes === undefined ? 'destroyed' : new Sealing(bytes))
  }

  /** The key that a first event brings, wrapped by its tenant's key of today; undefined where it is so already. */
  async rewrapped(log: string, first: unknown): Promise<string | undefined> {
    const wrapped = dataKeyOf(first)
    if (wrapped === undefined || wrapped === destroyed) return undefined
    const before = splitWrapped(wrapped)
    const tenant = before.tenant ?? tenantOf(log, first)
    if (tenant === undefined) return undefined
    const { current } = await this.#tenants.of(tenant)
    if (before.sealed.startsWith(`${current}.`)) return undefined
    const bytes = await this.#unwrap(log, wrapped)
    return bytes && this.#wrap(log, bytes, tenant)
  }

  learn(log: string, key: DataKey): void {
    this.#known.set(log, key)
  }

  forget(log: string): void {
    this.#known.delete(log)
  }

  /** With the tenant before it where that has a key of its own. */
  async #wrap(log: string, bytes: Uint8Array, tenant: string | undefined): Promise<string> {
    const { main } = this.#tenants
    const keys = tenant === undefined ? main : await this.#tenants.of(tenant)
    const sealed = keys.seal('data key', bytes, ['data key', log])
    return keys.current === main.current ? sealed : `${encodeURIComponent(tenant ?? '')}/${sealed}`
  }

  /** Undefined when the key that has wrapped it was thrown away. */
  async #unwrap(log: string, wrapped: string): Promise<Uint8Array | undefined> {
    const { tenant, sealed } = splitWrapped(wrapped)
    const keys = tenant === undefined ? this.#tenants.main : await this.#tenants.of(tenant)
    if (keys.isLost(sealed)) return undefined
    const bytes = keys.open('data key', sealed, ['data key', log])
    if (bytes.byteLength !== keyBytes) throw notOpened(['data key', log])
    return bytes
  }
}

function splitWrapped(wrapped: string): { readonly tenant?: string; readonly sealed: string } {
  const end = wrapped.indexOf('/')
  if (end === -1) return { sealed: wrapped }
  return { tenant: decodeURIComponent(wrapped.slice(0, end)), sealed: wrapped.slice(end + 1) }
}
