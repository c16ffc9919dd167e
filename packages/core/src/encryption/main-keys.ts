import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { BeachError } from '../errors.ts'
import type { Store } from '../ports/store.ts'
import type { KeyService, WrappedKey } from './key-service.ts'
import { keyBytes, notOpened, Sealing } from './sealing.ts'

/** Keys of the store that have keys of the data: they are shown to nothing else. */
export const encryptionPrefix = 'encryption:'
const dataRecord = `${encryptionPrefix}main`
/** Keys of the store that have the keys of tenants. */
const tenantRecords = `${encryptionPrefix}tenant:`
const pageSize = 1_000
const maxTries = 20

interface StoredKey extends WrappedKey {
  readonly id: string
}

/** What the store keeps: the main keys, the one in use last, and the ids of those that were thrown away. */
interface KeyRecord {
  readonly v: 1
  readonly keys: readonly StoredKey[]
  readonly destroyed?: readonly string[]
}

export type KeyStore = Pick<Store, 'bind' | 'list' | 'replace'>

/**
 * The main keys of some data. They are in the store, each wrapped by a key-encryption key; all other keys of the data are
 * wrapped by them or follow from them. So a key-encryption key is replaced by writing one record.
 */
export class MainKeys {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #destroyed: ReadonlySet<string>
  readonly #derived = new Map<string, Sealing>()
  /** The one that encrypts. */
  readonly current: string

  /** The main keys of a store; the first one is made if there is none. Nothing is written when a key is missing or wrong. */
  static async open(store: KeyStore, service: KeyService, signal?: AbortSignal): Promise<MainKeys> {
    return new MainKeys(await keysOf(await recordWithKey(store, dataRecord, service, signal), service, signal))
  }

  /**
   * The keys for the content of a tenant: its own, by which new content is encrypted, and those of the data. Those of the
   * data alone when it has no key of its own.
   */
  async ofTenant(tenant: string, store: KeyStore, service?: KeyService): Promise<MainKeys> {
    const name = tenantRecords + encodeURIComponent(tenant)
    const own = service?.forTenant?.(tenant)
    const found = own === undefined ? await readRecord(store, name) : await recordWithKey(store, name, own)
    if (found === undefined) return this
    const { keys, destroyed } = found.record
    if (own === undefined && keys.length > 0) throw tenantKeyMissing(tenant, keys)
    const opened = own === undefined ? new Map<string, Uint8Array>() : await keysOf(found, own)
    return new MainKeys(new Map([...this.#keys, ...opened]), new Set(destroyed))
  }

  private constructor(keys: ReadonlyMap<string, Uint8Array>, destroyed: ReadonlySet<string> = new Set()) {
    this.#keys = keys
    this.#destroyed = destroyed
    this.current = [...keys.keys()].at(-1) ?? ''
  }

  /** True for what was sealed by a key that was thrown away. */
  isLost(sealed: string): boolean {
    return this.#destroyed.has(sealed.slice(0, sealed.indexOf('.')))
  }

  /** Encrypts a text for a purpose, by the key in use; the result says which that is. */
  seal(purpose: string, content: string | Uint8Array, place: readonly string[]): string {
    return `${this.current}.${this.sealing(purpose).seal(content, place).toString('base64url')}`
  }

  /** Decrypts what `seal` has made. */
  open(purpose: string, sealed: string, place: readonly string[]): Buffer {
    const end = sealed.indexOf('.')
    const id = sealed.slice(0, end)
    if (!this.#keys.has(id)) throw notOpened(place)
    return this.sealing(purpose, id).open(Buffer.from(sealed.slice(end + 1), 'base64url'), place)
  }

  /** The key for a purpose that follows from a main key: from the one in use when none is named. */
  sealing(purpose: string, id: string = this.current): Sealing {
    const name = `${id} ${purpose}`
    const known = this.#derived.get(name)
    if (known !== undefined) return known
    const sealing = new Sealing(this.#derive(purpose, id))
    this.#derived.set(name, sealing)
    return sealing
  }

  /** A fingerprint of texts that tells nothing without the key: what is looked for by it must not be readable. */
  fingerprints(purpose: string): (text: string) => Buffer {
    const key = this.#derive(purpose, this.current)
    return (text) => createHmac('sha256', key).update(text).digest()
  }

  #derive(purpose: string, id: string): Uint8Array {
    const key = this.#keys.get(id)
    if (key === undefined) throw new BeachError('INTERNAL', `There is no main key ${id}.`)
    return new Uint8Array(hkdfSync('sha256', key, '', `beach ${purpose}`, keyBytes))
  }
}

/** Which key-encryption keys a store's data needs; none when it is not encrypted. */
export async function keysNeeded(store: KeyStore): Promise<readonly string[]> {
  return [...new Set((await readRecord(store, dataRecord))?.record.keys.map(({ keyId }) => keyId) ?? [])]
}

/** Refuses data of which a tenant's key is not there. */
export async function requireTenantKeys(store: KeyStore, service: KeyService): Promise<void> {
  for await (const { tenant, record } of tenantKeyRecords(store)) {
    if (record.keys.length > 0 && service.forTenant?.(tenant) === undefined) throw tenantKeyMissing(tenant, record.keys)
  }
}

/**
 * Wraps the main keys by the key-encryption keys that are in use now, those of tenants by theirs; gives the names of those
 * that the data needed before.
 */
export async function rewrapKeys(
  store: KeyStore,
  service: KeyService,
  signal?: AbortSignal,
): Promise<{ readonly before: readonly string[]; readonly now: string }> {
  await requireTenantKeys(store, service)
  const done = await rewrapped(store, dataRecord, service, signal)
  for await (const { name, tenant, record } of tenantKeyRecords(store)) {
    const own = service.forTenant?.(tenant)
    if (own !== undefined && record.keys.length > 0) await rewrapped(store, name, own, signal)
  }
  return done
}

/** Throws the keys of a tenant away: nothing that they encrypt can be read again. False when it never had any. */
export async function destroyTenantKeys(store: KeyStore, tenant: string): Promise<boolean> {
  const name = tenantRecords + encodeURIComponent(tenant)
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await readRecord(store, name)
    if (found === undefined) return false
    if (found.record.keys.length === 0) return true
    const { keys, destroyed = [] } = found.record
    const ids = keys.map(({ id }) => id)
    if (await replaced(store, name, found.text, { v: 1, keys: [], destroyed: [...destroyed, ...ids] })) return true
  }
  throw busy()
}

async function rewrapped(store: KeyStore, name: string, service: KeyService, signal?: AbortSignal) {
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await readRecord(store, name)
    if (found === undefined) throw new BeachError('INVALID_CONFIGURATION', 'This data is not encrypted yet.')
    const keys: StoredKey[] = []
    for (const [id, key] of await keysOf(found, service, signal)) {
      keys.push({ id, ...(await service.wrap(key, signal)) })
    }
    const before = [...new Set(found.record.keys.map(({ keyId }) => keyId))]
    const now = keys.at(-1)?.keyId ?? ''
    if (await replaced(store, name, found.text, { ...found.record, keys })) return { before, now }
  }
  throw busy()
}

async function* tenantKeyRecords(store: KeyStore) {
  for (let after: string | undefined; ;) {
    const page = await store.list(tenantRecords, after, pageSize)
    for (const { key, value } of page) {
      const tenant = decodeURIComponent(key.slice(tenantRecords.length))
      yield { name: key, tenant, record: parsed(value).record }
    }
    after = page.at(-1)?.key
    if (page.length < pageSize) return
  }
}

async function replaced(store: KeyStore, name: string, from: string, record: KeyRecord): Promise<boolean> {
  if (store.replace === undefined) {
    throw new BeachError('INVALID_CONFIGURATION', 'The store of this data cannot replace a value: it has no `replace`.')
  }
  return store.replace(name, from, JSON.stringify(record))
}

interface FoundRecord {
  readonly text: string
  readonly record: KeyRecord
}

async function readRecord(store: KeyStore, name: string): Promise<FoundRecord | undefined> {
  const found = (await store.list(name, undefined, 10)).find(({ key }) => key === name)
  return found && parsed(found.value)
}

function parsed(text: string): FoundRecord {
  const record = JSON.parse(text) as KeyRecord
  if (record.v === 1 && record.keys.length + (record.destroyed?.length ?? 0) > 0) return { text, record }
  throw new BeachError('NEWER_VERSION', 'A newer version of Beach has encrypted this data. Use that version.')
}

/** The record of that name, with a key: one is made if there is none. */
async function recordWithKey(
  store: KeyStore,
  name: string,
  service: KeyService,
  signal?: AbortSignal,
): Promise<FoundRecord> {
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await readRecord(store, name)
    if (found !== undefined && found.record.keys.length > 0) return found
    const id = `m${randomBytes(4).toString('hex')}`
    const keys = [{ id, ...(await service.wrap(randomBytes(keyBytes), signal)) }]
    // Another process may have been quicker.
    if (found === undefined) return parsed(await store.bind(name, JSON.stringify({ v: 1, keys } satisfies KeyRecord)))
    await replaced(store, name, found.text, { ...found.record, keys })
  }
  throw busy()
}

async function keysOf({ record }: FoundRecord, service: KeyService, signal?: AbortSignal) {
  return new Map(
    await Promise.all(
      record.keys.map(async (stored) => [stored.id, await unwrapped(service, stored, signal)] as const),
    ),
  )
}

async function unwrapped(service: KeyService, { keyId, wrapped }: StoredKey, signal?: AbortSignal) {
  const key = await service.unwrap({ keyId, wrapped }, signal)
  if (key.byteLength === keyBytes) return key
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `The key service gave ${key.byteLength} bytes for a key of ${keyBytes}.`,
  )
}

function tenantKeyMissing(tenant: string, keys: readonly StoredKey[]): BeachError {
  const names = keys.map(({ keyId }) => keyId).join(', ')
  return new BeachError(
    'INVALID_CONFIGURATION',
    `The data of the tenant ${tenant} is encrypted with a key of its own, ${names}, which is not given. Add that key, or throw the tenant's data away for good: beach data shred --tenant ${tenant}`,
  )
}

function busy(): BeachError {
  return new BeachError('CONFLICT', 'Other processes replace the keys of this data at the same time. Try again.')
}
