import { BeachError, isBeachError, type Store } from '@cool-ai/beach-core'
import { encryptionPrefix, type MainKeys, type TenantKeys } from '@cool-ai/beach-core/encryption'
import type { BoundKey, Lease, StoredEvent, TailItem } from '@cool-ai/beach-core/ports'
import { DataKeys, destroyed, type DataKey } from './data-keys.ts'
import { dataKeyOf, isErasedOpening, isSealed, openedEvent, sealEvent, withKey, withoutKey } from './sealed-event.ts'
import { OpenedTail, SealedLive } from './sealed-tail.ts'
import { openValue, sealValue } from './sealed-value.ts'

// Base64 has four characters for three bytes; a nonce, a tag and the name of the key come to each text.
const sealedRatio = 4 / 3
const sealedExtra = 200

/**
 * A store whose content is encrypted: events, snapshots, live text and the values of keys. Names of sessions and keys, and
 * the structure of sessions' events, stay readable, and so does what was written before the data was encrypted.
 */
export class SealedStore implements Store {
  declare readonly countUses?: NonNullable<Store['countUses']>
  declare readonly check?: NonNullable<Store['check']>
  declare readonly hosts?: NonNullable<Store['hosts']>
  declare readonly replace?: NonNullable<Store['replace']>
  declare readonly logs?: NonNullable<Store['logs']>
  readonly #store: Store
  readonly #main: MainKeys
  readonly #keys: DataKeys
  /** What followers in this process get for the events that were given to the store. */
  readonly #plain = new WeakMap<object, unknown>()

  constructor(store: Store, tenants: TenantKeys) {
    this.#store = store
    this.#main = tenants.main
    this.#keys = new DataKeys(store, tenants)
    // A store does without some of its methods: this one then does too.
    if (store.countUses !== undefined) this.countUses = store.countUses.bind(store)
    if (store.check !== undefined) this.check = store.check.bind(store)
    if (store.hosts !== undefined) this.hosts = store.hosts.bind(store)
    if (store.logs !== undefined) this.logs = store.logs.bind(store)
    if (store.replace !== undefined) this.replace = (key, from, to) => this.#replace(key, from, to)
  }

  get process(): string | undefined {
    return this.#store.process
  }

  async append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    const { sealed, key } = await this.#sealed(session, expected, events)
    const head = await this.#store.append(session, expected, sealed, wakeAt)
    this.#keys.learn(session, key)
    return head
  }

  async appendAndClaim(
    session: string,
    expected: number,
    events: readonly unknown[],
    claim: Parameters<Store['appendAndClaim']>[3],
  ): ReturnType<Store['appendAndClaim']> {
    const { sealed, key } = await this.#sealed(session, expected, events)
    const started = claim.events.map((event) => this.#seal(event, key))
    const taken = await this.#store.appendAndClaim(session, expected, sealed, { ...claim, events: started })
    this.#keys.learn(session, key)
    return taken
  }

  async read(session: string, after: number, limit?: number, maxCharacters?: number): Promise<StoredEvent[]> {
    const most = maxCharacters === undefined ? undefined : Math.ceil(maxCharacters * sealedRatio) + sealedExtra
    const found = await this.#store.read(session, after, limit, most)
    const [first] = found
    // It need not be read again for its key.
    const isBeginning = after === 0 && first !== undefined && dataKeyOf(first.data) !== undefined
    if (isBeginning) this.#keys.learn(session, await this.#keys.keyIn(session, first.data))
    return this.#opened(session, found)
  }

  tail(session: string, after: number, signal?: AbortSignal): AsyncIterable<readonly TailItem[]> {
    return new OpenedTail(this.#store.tail(session, after, signal), (items) => this.#openedItems(session, items))
  }

  publish(session: string, live: unknown): void {
    const seal = (text: string) => this.#main.seal('live', text, ['live', session])
    this.#store.publish(session, new SealedLive(live, seal))
  }

  wake(session: string, at?: number): Promise<void> {
    return this.#store.wake(session, at)
  }

  claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    return this.#store.claim(leaseMs, signal)
  }

  async bind(key: string, value: string): Promise<string> {
    refuseOwn(key)
    const sealed = sealValue(this.#main, key, value)
    const bound = await this.#store.bind(key, sealed)
    return bound === sealed ? value : openValue(this.#main, key, bound)
  }

  async list(prefix: string, after?: string, limit = 1_000): Promise<BoundKey[]> {
    const page = await this.#store.list(prefix, after, limit)
    const found = page.filter(({ key }) => !isOwn(key))
    const shown = found.map((bound) => ({ ...bound, value: openValue(this.#main, bound.key, bound.value) }))
    // A page that is not full is taken for the last one.
    const left = page.length === limit ? limit - shown.length : 0
    return left > 0 ? [...shown, ...(await this.list(prefix, page.at(-1)?.key, left))] : shown
  }

  async unbind(key: string): Promise<void> {
    refuseOwn(key)
    await this.#store.unbind(key)
  }

  async saveSnapshot(session: string, seq: number, foldVersion: number, state: unknown): Promise<void> {
    const key = this.#keys.known(session) ?? (await this.#keys.of(session))
    const sealed = key.seal('snapshot', JSON.stringify(state))
    await this.#store.saveSnapshot(session, seq, foldVersion, { sealed })
  }

  async loadSnapshot(session: string): ReturnType<Store['loadSnapshot']> {
    const found = await this.#store.loadSnapshot(session)
    if (found === undefined || !isSealed(found.state)) return found
    try {
      const { sealed } = found.state
      const text = await this.#withKey(session, (key) => key.open('snapshot', sealed))
      return text === undefined ? undefined : { ...found, state: JSON.parse(text) as unknown }
    } catch (error) {
      // It is folded anew from the log.
      if (isBeachError(error, 'STORE_DAMAGED')) return undefined
      throw error
    }
  }

  /** A session whose opening is erased loses its key too: what may be left of its content anywhere is not readable any more. */
  async erase(session: string, events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return this.#store.erase(session, events)
    const [first] = await this.#store.read(session, 0, 1)
    const isEnd = events.some(({ seq, data }) => seq === first?.seq && isErasedOpening(data))
    if (isEnd) this.#keys.forget(session)
    const wrapped = isEnd ? destroyed : dataKeyOf(first?.data)
    const key = await this.#keys.keyIn(session, wrapped === undefined ? undefined : { dataKey: wrapped })
    const left = events.map(({ seq, data }) => {
      const sealed = sealEvent(data, (text) => key.seal('event', text))
      return { seq, data: seq === first?.seq && wrapped !== undefined ? withKey(sealed, wrapped) : sealed }
    })
    await this.#store.erase(session, left)
    this.#keys.forget(session)
  }

  async drop(session: string): Promise<void> {
    await this.#store.drop(session)
    this.#keys.forget(session)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  /** The key of a log, for what belongs to it and stands elsewhere. */
  keyOf(log: string): Promise<DataKey> {
    return this.#keys.of(log)
  }

  async #replace(key: string, from: string, to: string): Promise<boolean> {
    refuseOwn(key)
    const bound = (await this.#store.list(key, undefined, 1)).find((one) => one.key === key)?.value
    if (bound === undefined || openValue(this.#main, key, bound) !== from) return false
    return (await this.#store.replace?.(key, bound, sealValue(this.#main, key, to))) ?? false
  }

  /** The events of an append. The first ones of a log bring its key. */
  async #sealed(session: string, expected: number, events: readonly unknown[]) {
    if (expected !== 0) {
      const key = this.#keys.known(session) ?? (await this.#keys.of(session))
      return { key, sealed: events.map((event) => this.#seal(event, key)) }
    }
    const { key, wrapped } = await this.#keys.fresh(session, events[0])
    const sealed = events.map((event, index) => this.#seal(event, key, index === 0 ? wrapped : undefined))
    return { key, sealed }
  }

  #seal(event: unknown, key: DataKey, wrapped?: string): unknown {
    const sealed = sealEvent(event, (text) => key.seal('event', text))
    const stored = wrapped === undefined ? sealed : withKey(sealed, wrapped)
    if (stored !== event) this.#plain.set(stored as object, event)
    return stored
  }

  #openedItems(session: string, items: readonly TailItem[]): readonly TailItem[] | Promise<readonly TailItem[]> {
    const known = items.map((item) => {
      if ('live' in item) return { live: this.#openedLive(session, item.live) }
      if (typeof item.data !== 'object' || item.data === null) return item
      const plain = this.#plain.get(item.data)
      return plain === undefined ? item : { seq: item.seq, data: plain }
    })
    return known.some((item) => 'seq' in item && isStored(item.data)) ? this.#openedRest(session, known) : known
  }

  async #openedRest(session: string, items: readonly TailItem[]): Promise<readonly TailItem[]> {
    const stored = await this.#opened(
      session,
      items.filter((item) => 'seq' in item),
    )
    const opened = new Map(stored.map((event) => [event.seq, event]))
    return items.map((item) => ('seq' in item ? (opened.get(item.seq) ?? item) : item))
  }

  #openedLive(session: string, live: unknown): unknown {
    if (live instanceof SealedLive) return live.plain
    if (!isSealed(live)) return live
    return JSON.parse(this.#main.open('live', live.sealed, ['live', session]).toString()) as unknown
  }

  async #opened(session: string, found: readonly StoredEvent[]): Promise<StoredEvent[]> {
    if (!found.some(({ data }) => isStored(data))) return [...found]
    return this.#withKey(session, (key) => {
      const open = (data: unknown) =>
        isSealed(data) ? openedEvent(data, key.open('event', data.sealed)) : withoutKey(data)
      return found.map(({ seq, data }) => ({ seq, data: open(data) }))
    })
  }

  /** A key that does not fit may be that of an earlier log of this name: it is read once more. */
  async #withKey<Value>(session: string, run: (key: DataKey) => Value): Promise<Value> {
    const known = this.#keys.known(session)
    if (known === undefined) return run(await this.#keys.of(session))
    try {
      return run(known)
    } catch (error) {
      if (!isBeachError(error, 'STORE_DAMAGED')) throw error
      this.#keys.forget(session)
      return run(await this.#keys.of(session))
    }
  }
}

/** Whether there is something in a stored event that readers do not get. */
function isStored(data: unknown): boolean {
  return isSealed(data) || dataKeyOf(data) !== undefined
}

function isOwn(key: string): boolean {
  return key.startsWith(encryptionPrefix)
}

function refuseOwn(key: string): void {
  if (isOwn(key))
    throw new BeachError('BAD_REQUEST', `Keys that begin with '${encryptionPrefix}' are those of encryption.`)
}
