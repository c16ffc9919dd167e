import { BeachError, sleep, type Runtime, type Store } from '@cool-ai/beach-core'
import { eachKey } from './each-key.ts'
import { parkedKey, waitingKey, type InboxEntry } from './inbox-entry.ts'

interface InboxOptions<Item> {
  readonly store: Store
  readonly runtime: Runtime
  readonly name: string
  /** Handles an item; it may be called again with the same one. An item whose handler throws is tried again. */
  readonly work: (item: Item, signal: AbortSignal) => Promise<void>
}

const attempts = 8
const firstDelayMs = 500
const maxDelayMs = 60_000
const sweepMs = 30_000
const maxWaiting = 100

/**
 * Acknowledged messages until they are handled: in the store before the service gets its acknowledgement, and handled
 * by the next process when this one ends. Items of one lane are handled in their order.
 */
export class Inbox<Item> {
  readonly #options: InboxOptions<Item>
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #waiting = new Map<string, number>()
  readonly #taken = new Set<string>()
  #signal: AbortSignal | undefined

  constructor(options: InboxOptions<Item>) {
    this.#options = options
  }

  /** Takes over what an earlier process has left, now and whenever another one leaves something. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    await this.#sweep(0)
    void this.#watch(signal)
  }

  checkRunning(): void {
    if (this.#signal?.aborted === false) return
    throw new BeachError('STORE_UNAVAILABLE', 'The agent is not running. Send it again later.')
  }

  /** Once it resolves, the item is stored. It is refused when too much of its lane waits already. */
  async add(id: string, lane: string, item: Item): Promise<void> {
    this.checkRunning()
    if ((this.#waiting.get(lane) ?? 0) >= maxWaiting) {
      throw new BeachError('MAILBOX_FULL', 'Too many messages of this person wait. Send it again later.')
    }
    const entry = { id, lane, at: this.#options.runtime.clock.now(), item }
    await this.#options.store.bind(this.#key(id), JSON.stringify(entry))
    this.#take(entry)
  }

  /**
   * Forgets a person's messages: those that wait, and those that were put aside. A message that is being handled is not
   * tried again.
   */
  async forget(isTheirs: (item: Item) => Promise<boolean>): Promise<void> {
    const { store, name } = this.#options
    for (const start of [waitingKey(name, ''), parkedKey(name, '')]) {
      for await (const { key, value } of eachKey(store, start)) {
        const { id, item } = JSON.parse(value) as InboxEntry<Item>
        if (!(await isTheirs(item))) continue
        this.#taken.delete(id)
        await store.unbind(key)
      }
    }
  }

  #take(entry: InboxEntry<Item>): void {
    const { id, lane } = entry
    if (this.#taken.has(id)) return
    this.#taken.add(id)
    this.#waiting.set(lane, (this.#waiting.get(lane) ?? 0) + 1)
    const before = this.#lanes.get(lane) ?? Promise.resolve()
    const after = before.then(() => this.#finish(entry))
    this.#lanes.set(lane, after)
    void after.then(() => {
      this.#taken.delete(id)
      const rest = (this.#waiting.get(lane) ?? 1) - 1
      if (rest > 0) this.#waiting.set(lane, rest)
      else this.#waiting.delete(lane)
      if (this.#lanes.get(lane) === after) this.#lanes.delete(lane)
    })
  }

  /** Never rejects: an item that cannot be handled is put aside, so that those after it are. */
  async #finish(entry: InboxEntry<Item>): Promise<void> {
    const { store, runtime, work, name } = this.#options
    const signal = this.#signal ?? AbortSignal.abort()
    for (let attempt = 1; !signal.aborted && this.#taken.has(entry.id); attempt++) {
      try {
        await work(entry.item, signal)
        await store.unbind(this.#key(entry.id))
        return
      } catch (error) {
        if (signal.aborted || !this.#taken.has(entry.id)) return
        runtime.logger.log('warn', 'an incoming message was not handled', { name, id: entry.id, attempt, error })
        if (attempt >= attempts) return this.#putAside(entry)
        await sleep(runtime.clock, Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs), signal)
      }
    }
  }

  async #putAside(entry: InboxEntry<Item>): Promise<void> {
    const { store, runtime, name } = this.#options
    try {
      await store.bind(parkedKey(name, entry.id), JSON.stringify(entry))
      await store.unbind(this.#key(entry.id))
      runtime.logger.log('error', 'an incoming message was put aside', { name, id: entry.id })
    } catch (error) {
      // It is still stored, and a later sweep handles it.
      runtime.logger.log('error', 'an incoming message could not be put aside', { name, id: entry.id, error })
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { runtime, name } = this.#options
    while (!signal.aborted) {
      await sleep(runtime.clock, sweepMs, signal)
      try {
        if (!signal.aborted) await this.#sweep(sweepMs)
      } catch (error) {
        runtime.logger.log('warn', 'the inbox could not be read', { name, error })
      }
    }
  }

  async #sweep(olderThanMs: number): Promise<void> {
    const { store, runtime } = this.#options
    const rows = await store.list(this.#key(''), undefined, 1_000)
    const entries = rows.map(({ value }) => JSON.parse(value) as InboxEntry<Item>)
    const now = runtime.clock.now()
    for (const entry of entries.toSorted((one, other) => one.at - other.at)) {
      // An entry from the future was written before the clock was set back.
      if (entry.at <= now - olderThanMs || entry.at > now) this.#take(entry)
    }
  }

  #key(id: string): string {
    return waitingKey(this.#options.name, id)
  }
}
