import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { BeachError } from '../errors.ts'
import type { Store } from '../ports/store.ts'
import type { KeyService, WrappedKey } from './key-service.ts'
import { keyBytes, notOpened, Sealing } from './sealing.ts'

/** Keys of the store that have keys of the data: they are shown to nothing else. */
export const encryptionPrefix = 'encryption:'
const recordKey = `${encryptionPrefix}main`
const maxTries = 20

interface StoredKey extends WrappedKey {
  readonly id: string
}

/** What the store keeps: the main keys, the one in use last. */
interface KeyRecord {
  readonly v: 1
  readonly keys: readonly StoredKey[]
}

type KeyStore = Pick<Store, 'bind' | 'list' | 'replace'>

/**
 * The main keys of some data. They are in the store, each wrapped by a key-encryption key; all other keys of the data are
 * wrapped by them or follow from them. So a key-encryption key is replaced by writing one record.
 */
export class MainKeys {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #derived = new Map<string, Sealing>()
  /** The one that encrypts. */
  readonly current: string

  /** The main keys of a store; the first one is made if there is none. Nothing is written when a key is missing or wrong. */
  static async open(store: KeyStore, service: KeyService, signal?: AbortSignal): Promise<MainKeys> {
    const found = (await readRecord(store)) ?? (await makeRecord(store, service, signal))
    const keys = await Promise.all(
      found.record.keys.map(async (stored) => [stored.id, await unwrapped(service, stored, signal)] as const),
    )
    return new MainKeys(new Map(keys))
  }

  private constructor(keys: ReadonlyMap<string, Uint8Array>) {
    this.#keys = keys
    this.current = [...keys.keys()].at(-1) ?? ''
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
  return [...new Set((await readRecord(store))?.record.keys.map(({ keyId }) => keyId) ?? [])]
}

/** Wraps the main keys by the key-encryption key that is in use now; gives the names of those that they needed before. */
export async function rewrapKeys(
  store: KeyStore,
  service: KeyService,
  signal?: AbortSignal,
): Promise<{ readonly before: readonly string[]; readonly now: string }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await readRecord(store)
    if (found === undefined) throw new BeachError('INVALID_CONFIGURATION', 'This data is not encrypted yet.')
    const keys: StoredKey[] = []
    for (const stored of found.record.keys) {
      const key = await unwrapped(service, stored, signal)
      keys.push({ id: stored.id, ...(await service.wrap(key, signal)) })
    }
    const before = [...new Set(found.record.keys.map(({ keyId }) => keyId))]
    const now = keys.at(-1)?.keyId ?? ''
    if (await replaced(store, found.text, { v: 1, keys })) return { before, now }
  }
  throw new BeachError('CONFLICT', 'Other processes replace the keys of this data at the same time. Try again.')
}

async function replaced(store: KeyStore, from: string, record: KeyRecord): Promise<boolean> {
  if (store.replace === undefined) {
    throw new BeachError('INVALID_CONFIGURATION', 'The store of this data cannot replace a value: it has no `replace`.')
  }
  return store.replace(recordKey, from, JSON.stringify(record))
}

interface FoundRecord {
  readonly text: string
  readonly record: KeyRecord
}

async function readRecord(store: KeyStore): Promise<FoundRecord | undefined> {
  const found = (await store.list(recordKey, undefined, 10)).find(({ key }) => key === recordKey)
  return found && parsed(found.value)
}

function parsed(text: string): FoundRecord {
  const record = JSON.parse(text) as KeyRecord
  if (record.v === 1 && record.keys.length > 0) return { text, record }
  throw new BeachError('NEWER_VERSION', 'A newer version of Beach has encrypted this data. Use that version.')
}

async function makeRecord(store: KeyStore, service: KeyService, signal?: AbortSignal): Promise<FoundRecord> {
  const id = `m${randomBytes(4).toString('hex')}`
  const keys = [{ id, ...(await service.wrap(randomBytes(keyBytes), signal)) }]
  // Another process may have been quicker.
  return parsed(await store.bind(recordKey, JSON.stringify({ v: 1, keys } satisfies KeyRecord)))
}

async function unwrapped(service: KeyService, { keyId, wrapped }: StoredKey, signal?: AbortSignal) {
  const key = await service.unwrap({ keyId, wrapped }, signal)
  if (key.byteLength === keyBytes) return key
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `The key service gave ${key.byteLength} bytes for a key of ${keyBytes}.`,
  )
}
