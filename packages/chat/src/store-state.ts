import type { Runtime, Store } from '@cool-ai/beach-core'
import type { Lock, QueueEntry, StateAdapter } from 'chat'
import { StoreCell } from './store-cell.ts'

interface HeldLock {
  readonly token: string
  readonly until: number
}

/** An adapter's own marks of deliveries: an event that could not be stored must be taken when it comes again. */
const deliveryMark = /^[\w-]+:(?:event-delivered|webhook-update):/

/** What Chat SDK and its adapters keep, in the agent's store: shared by all processes, and no second database. */
export class StoreState implements StateAdapter {
  readonly #cell: (kind: string, key: string) => StoreCell
  readonly #runtime: Runtime

  constructor(store: Store, runtime: Runtime, tenant: string) {
    this.#runtime = runtime
    this.#cell = (kind, key) => new StoreCell(store, runtime, { tenant, key: `${kind}:${key}` })
  }

  async connect(): Promise<void> {}

  async disconnect(): Promise<void> {}

  async get<T = unknown>(key: string): Promise<T | null> {
    return ((await this.#cell('value', key).read()) ?? null) as T | null
  }

  async set(key: string, value: unknown, ttlMs?: number): Promise<void> {
    if (deliveryMark.test(key)) return
    await this.#cell('value', key).change(() => ({ value, ttlMs }))
  }

  async setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean> {
    if (deliveryMark.test(key)) return true
    const set = await this.#cell('value', key).change((now) => (now === undefined ? { value, ttlMs } : 'keep'))
    return set.isChanged
  }

  async delete(key: string): Promise<void> {
    await this.#remove('value', key)
    await this.#remove('list', key)
  }

  async appendToList(
    key: string,
    value: unknown,
    { maxLength, ttlMs }: { maxLength?: number; ttlMs?: number } = {},
  ): Promise<void> {
    await this.#cell('list', key).change((now) => {
      const all = [...listOf(now), value]
      return { value: maxLength === undefined ? all : all.slice(-maxLength), ttlMs }
    })
  }

  async getList<T = unknown>(key: string): Promise<T[]> {
    return listOf(await this.#cell('list', key).read()) as T[]
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
