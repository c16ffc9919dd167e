import type { Runtime, Store } from '@cool-ai/beach-core'
import type { Lock, QueueEntry, StateAdapter } from 'chat'
import { PeopleCache } from './people-cache.ts'
import { StoreCell } from './store-cell.ts'

interface HeldLock {
  readonly token: string
  readonly until: number
}

/** An adapter's own marks of deliveries: an event that could not be stored must be taken when it comes again. */
const deliveryMark = /^[\w-]+:(?:event-delivered|webhook-update):/

/** What adapters look up about people, of whom many have never spoken to the agent: names, mail addresses, who is in a thread. */
const aboutPeople = /^(?:slack:(?:user|user-by-name|thread-participants)|teams:(?:userInfo|aadObjectId)|gchat:user):/

/**
 * What Chat SDK and its adapters keep, in the agent's store: shared by all processes, and no second database. What they
 * look up about people stays in memory, for an hour: it can be looked up again, and need not be erased anywhere.
 */
export class StoreState implements StateAdapter {
  readonly #cell: (kind: string, key: string) => StoreCell
  readonly #runtime: Runtime
  readonly #people: PeopleCache

  constructor(store: Store, runtime: Runtime, tenant: string) {
    this.#runtime = runtime
    this.#people = new PeopleCache(runtime)
    this.#cell = (kind, key) => new StoreCell(store, runtime, { tenant, key: `${kind}:${key}` })
  }

  async connect(): Promise<void> {}

  async disconnect(): Promise<void> {}

  async get<T = unknown>(key: string): Promise<T | null> {
    if (aboutPeople.test(key)) return (this.#people.get(key) ?? null) as T | null
    return ((await this.#cell('value', key).read()) ?? null) as T | null
  }

  async set(key: string, value: unknown, ttlMs?: number): Promise<void> {
    if (deliveryMark.test(key)) return
    if (aboutPeople.test(key)) return this.#people.set(key, value, ttlMs)
    await this.#cell('value', key).change(() => ({ value, ttlMs }))
  }

  async setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean> {
    if (deliveryMark.test(key)) return true
    const set = await this.#cell('value', key).change((now) => (now === undefined ? { value, ttlMs } : 'keep'))
    return set.isChanged
  }

  async delete(key: string): Promise<void> {
    if (aboutPeople.test(key)) return this.#people.delete(key)
    await this.#remove('value', key)
    await this.#remove('list', key)
  }

  async appendToList(
    key: string,
    value: unknown,
    { maxLength, ttlMs }: { maxLength?: number; ttlMs?: number } = {},
  ): Promise<void> {
    const longer = (now: unknown) => {
      const all = [...listOf(now), value]
      return maxLength === undefined ? all : all.slice(-maxLength)
    }
    if (aboutPeople.test(key)) return this.#people.set(key, longer(this.#people.get(key)), ttlMs)
    await this.#cell('list', key).change((now) => ({ value: longer(now), ttlMs }))
  }

  async getList<T = unknown>(key: string): Promise<T[]> {
    const kept = aboutPeople.test(key) ? this.#people.get(key) : await this.#cell('list', key).read()
    return listOf(kept) as T[]
  }

  async subscribe(threadId: string): Promise<void> {
    await this.#cell('subscription', threadId).change((now) => (now === true ? 'keep' : { value: true }))
  }

  async unsubscribe(threadId: string): Promise<void> {
    await this.#remove('subscription', threadId)
  }

  async isSubscribed(threadId: string): Promise<boolean> {
    return (await this.#cell('subscription', threadId).read()) === true
  }

  async acquireLock(threadId: string, ttlMs: number): Promise<Lock | null> {
    const token = this.#runtime.id('lock')
    const expiresAt = this.#runtime.clock.now() + ttlMs
    const taken = await this.#cell('lock', threadId).change((now) => {
      return now === undefined ? { value: { token, until: expiresAt }, ttlMs } : 'keep'
    })
    return taken.isChanged ? { threadId, token, expiresAt } : null
  }

  async extendLock({ threadId, token }: Lock, ttlMs: number): Promise<boolean> {
    const until = this.#runtime.clock.now() + ttlMs
    const extended = await this.#cell('lock', threadId).change((now) => {
      return isHeldBy(now, token) ? { value: { token, until }, ttlMs } : 'keep'
    })
    return extended.isChanged
  }

  async releaseLock({ threadId, token }: Lock): Promise<void> {
    await this.#cell('lock', threadId).change((now) => (isHeldBy(now, token) ? { value: undefined } : 'keep'))
  }

  async forceReleaseLock(threadId: string): Promise<void> {
    await this.#remove('lock', threadId)
  }

  async enqueue(threadId: string, entry: QueueEntry, maxSize: number): Promise<number> {
    let size = 0
    await this.#cell('queue', threadId).change((now) => {
      const waiting = [...queueOf(now, this.#runtime.clock.now()), entry].slice(-maxSize)
      size = waiting.length
      return { value: waiting }
    })
    return size
  }

  async dequeue(threadId: string): Promise<QueueEntry | null> {
    let first: QueueEntry | undefined
    await this.#cell('queue', threadId).change((now) => {
      const [next, ...rest] = queueOf(now, this.#runtime.clock.now())
      first = next
      return next === undefined ? 'keep' : { value: rest.length === 0 ? undefined : rest }
    })
    return first ?? null
  }

  async queueDepth(threadId: string): Promise<number> {
    return queueOf(await this.#cell('queue', threadId).read(), this.#runtime.clock.now()).length
  }

  async #remove(kind: string, key: string): Promise<void> {
    await this.#cell(kind, key).change((now) => (now === undefined ? 'keep' : { value: undefined }))
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function queueOf(value: unknown, now: number): readonly QueueEntry[] {
  return (listOf(value) as readonly QueueEntry[]).filter(({ expiresAt }) => expiresAt > now)
}

function isHeldBy(value: unknown, token: string): boolean {
  return value !== undefined && (value as HeldLock).token === token
}
