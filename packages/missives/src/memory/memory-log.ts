import { createHash } from 'node:crypto'
import type { Principal, Store } from '@cool-ai/beach-core'
import { Conflict, principalKey, type StoredEvent } from '@cool-ai/beach-core/ports'
import { emptyMemory, foldMemory, type MemoryEvent, type MemoryState } from './memory-state.ts'

/** Whose memory a log is. */
export type MemoryOwner = Pick<Principal, 'kind' | 'id' | 'tenant'>

const gone: MemoryEvent = { type: 'gone' }
const pageSize = 500
const maxConflicts = 50

/** The keys that tell of which principals something is remembered. */
export const memoryKeys = 'memory:'

/**
 * What is remembered of one principal: a log of its own in the store, read anew each time, so all processes see the same.
 * Its name tells nothing of the principal.
 */
export class MemoryLog {
  readonly #store: Store
  readonly #name: string
  readonly #key: string
  readonly #tenant: string

  constructor(store: Store, owner: MemoryOwner) {
    this.#store = store
    this.#tenant = owner.tenant
    this.#key = `${memoryKeys}${encodeURIComponent(owner.tenant)}:${principalKey(owner)}`
    this.#name = `memory:${createHash('sha256').update(this.#key).digest('hex').slice(0, 40)}`
  }

  async load(): Promise<MemoryState> {
    const { state } = await this.#read()
    // A process died after the person had refused and before their words were erased.
    if (state.leftover.length > 0) await this.erase(state.leftover)
    return state
  }

  /** Appends what is decided on the present state, if anything is. */
  async commit(decide: (state: MemoryState) => MemoryEvent | undefined): Promise<MemoryState> {
    for (let conflicts = 0; ; conflicts++) {
      const { state, head } = await this.#read()
      const event = decide(state)
      if (event === undefined) return state
      // First the key, by which the upkeep finds the log: without entries it is harmless.
      if (head === 0) await this.#store.bind(this.#key, this.#name)
      try {
        // The first one says whose the log is: it may be encrypted by a key of that tenant.
        const stored = head === 0 ? { ...event, tenant: this.#tenant } : event
        return foldMemory(state, event, await this.#store.append(this.#name, head, [stored]))
      } catch (error) {
        if (!(error instanceof Conflict) || conflicts >= maxConflicts) throw error
      }
    }
  }

  /** Takes entries out of the log, for good. */
  async erase(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    const places: StoredEvent[] = seqs.map((seq) => ({ seq, data: gone }))
    await this.#store.erase(this.#name, places)
  }

  /** Forgets the person, also that they have agreed or refused; false when there was nothing. */
  async drop(): Promise<boolean> {
    const { head, events } = await this.#read()
    if (head > 0) {
      await this.erase(events)
      await this.#store.drop(this.#name)
    }
    await this.#store.unbind(this.#key)
    return head > 0
  }

  async #read(): Promise<{ readonly state: MemoryState; readonly head: number; readonly events: readonly number[] }> {
    let state = emptyMemory
    const events: number[] = []
    for (let head = 0; ;) {
      const page = await this.#store.read(this.#name, head, pageSize)
      for (const { seq, data } of page) {
        state = foldMemory(state, data as MemoryEvent, seq)
        events.push(seq)
      }
      head = page.at(-1)?.seq ?? head
      if (page.length < pageSize) return { state, head, events }
    }
  }
}
