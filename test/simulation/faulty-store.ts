import { sleep, type Clock, type Store } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'

/** What can go wrong between a process and its store, each with the chance that it does. */
export interface Faults {
  /** The write is done, but its acknowledgement never comes back. */
  readonly lostAcknowledgement: number
  /** The write fails before anything is written. */
  readonly failedAppend: number
  /** A call takes up to this long. */
  readonly slow: number
  readonly slowestMs: number
  /** A renewal hangs for a minute: the process has lost its lease and does not know it. */
  readonly lateRenewal: number
}

export const noFaults: Faults = { lostAcknowledgement: 0, failedAppend: 0, slow: 0, slowestMs: 0, lateRenewal: 0 }

/** A store as one process sees it: slow, forgetful, and gone for good once the process has died. */
export class FaultyStore implements Store {
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: () => number
  readonly #faults: Faults
  readonly #end = new AbortController()
  /** Calls that the process still makes before it dies. */
  #callsLeft: number

  constructor(store: Store, clock: Clock, random: () => number, faults: Faults, callsLeft: number) {
    this.#store = store
    this.#clock = clock
    this.#random = random
    this.#faults = faults
    this.#callsLeft = callsLeft
  }

  get isDead(): boolean {
    return this.#end.signal.aborted
  }

  /** The process dies: whatever it was waiting for never comes, and nothing it does has an effect any more. */
  die(): void {
    this.#end.abort()
  }

  append(session: string, expected: number, events: readonly unknown[], wakeAt?: number): Promise<number> {
    return this.#call(async () => {
      if (this.#random() < this.#faults.failedAppend) throw new Error('the store was away')
      const head = await this.#store.append(session, expected, events, wakeAt)
      if (this.#random() < this.#faults.lostAcknowledgement) throw new Error('the connection broke')
      return head
    })
  }

  appendAndClaim(...args: Parameters<Store['appendAndClaim']>): ReturnType<Store['appendAndClaim']> {
    return this.#call(async () => {
      if (this.#random() < this.#faults.failedAppend) throw new Error('the store was away')
      const { head, lease } = await this.#store.appendAndClaim(...args)
      if (this.#random() < this.#faults.lostAcknowledgement) throw new Error('the connection broke')
      return { head, ...(lease && { lease: this.#faulty(lease) }) }
    })
  }

  tail(session: string, after: number, signal?: AbortSignal): ReturnType<Store['tail']> {
    const end = signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal])
    const tail = this.#store.tail(session, after, end)[Symbol.asyncIterator]()
    const next = async () => {
      const result = await tail.next()
      return result.done === true && this.isDead ? never() : result
    }
    const stop = async () => (await tail.return?.()) ?? { done: true as const, value: undefined }
    return { [Symbol.asyncIterator]: () => ({ next, return: stop }) }
  }

  publish(session: string, live: unknown): void {
    if (!this.isDead) this.#store.publish(session, live)
  }

  claim(leaseMs: number, signal: AbortSignal): Promise<Lease | undefined> {
    return this.#call(async () => {
      const lease = await this.#store.claim(leaseMs, AbortSignal.any([signal, this.#end.signal]))
      return lease && this.#faulty(lease)
    })
  }

  #faulty(lease: Lease): Lease {
    return {
      session: lease.session,
      renew: () => this.#call(() => this.#renewed(lease)),
      release: (nextWakeAt?: number) => this.#call(() => lease.release(nextWakeAt)),
    }
  }

  read: Store['read'] = (...args) => this.#call(() => this.#store.read(...args))
  wake: Store['wake'] = (...args) => this.#call(() => this.#store.wake(...args))
  bind: Store['bind'] = (...args) => this.#call(() => this.#store.bind(...args))
  list: Store['list'] = (...args) => this.#call(() => this.#store.list(...args))
  unbind: Store['unbind'] = (...args) => this.#call(() => this.#store.unbind(...args))
  saveSnapshot: Store['saveSnapshot'] = (...args) => this.#call(() => this.#store.saveSnapshot(...args))
  loadSnapshot: Store['loadSnapshot'] = (...args) => this.#call(() => this.#store.loadSnapshot(...args))
  erase: Store['erase'] = (...args) => this.#call(() => this.#store.erase(...args))
  drop: Store['drop'] = (...args) => this.#call(() => this.#store.drop(...args))
  close = (): Promise<void> => Promise.resolve()

  /** A process may die before a call or after it: either way it never learns what came of it. */
  async #call<Value>(run: () => Promise<Value>): Promise<Value> {
    if (this.isDead) return never()
    const dies = --this.#callsLeft <= 0
    if (dies && this.#random() < 0.5) this.die()
    await this.#pause()
    if (this.isDead) return never()
    try {
      const value = await run()
      await this.#pause()
      return value
    } finally {
      if (dies) this.die()
      if (this.isDead) await never()
    }
  }

  async #renewed(lease: Lease): Promise<boolean> {
    if (this.#random() < this.#faults.lateRenewal) await sleep(this.#clock, 60_000)
    return lease.renew()
  }

  #pause(): Promise<void> {
    if (this.#random() >= this.#faults.slow) return Promise.resolve()
    return new Promise((resolve) => void this.#clock.timer(this.#random() * this.#faults.slowestMs, resolve))
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}
