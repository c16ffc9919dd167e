import type { Store } from '@cool-ai/beach-core'
import type { Lease } from '@cool-ai/beach-core/ports'

/**
 * A store as one process sees it. Once the process has died nothing that it does has an effect any more, and what it waits
 * for never comes: its code may still run, as that of a killed one cannot.
 */
export class MortalStore implements Store {
  readonly #store: Store
  readonly #death = new AbortController()
  readonly countUses?: NonNullable<Store['countUses']>
  readonly check?: NonNullable<Store['check']>
  readonly hosts?: NonNullable<Store['hosts']>
  readonly process?: string

  constructor(store: Store) {
    this.#store = store
    const { process } = store
    if (process !== undefined) this.process = process
    if (store.countUses) this.countUses = (uses) => this.#alive(async () => store.countUses?.(uses) ?? [])
    if (store.check) this.check = () => this.#alive(async () => store.check?.())
    if (store.hosts) this.hosts = (max) => this.#alive(async () => store.hosts?.(max) ?? { processes: [], leases: [] })
  }

  die(): void {
    this.#death.abort()
  }

  append: Store['append'] = (...args) => this.#alive(() => this.#store.append(...args))
  read: Store['read'] = (...args) => this.#alive(() => this.#store.read(...args))
  wake: Store['wake'] = (...args) => this.#alive(() => this.#store.wake(...args))
  bind: Store['bind'] = (...args) => this.#alive(() => this.#store.bind(...args))
  list: Store['list'] = (...args) => this.#alive(() => this.#store.list(...args))
  unbind: Store['unbind'] = (...args) => this.#alive(() => this.#store.unbind(...args))
  saveSnapshot: Store['saveSnapshot'] = (...args) => this.#alive(() => this.#store.saveSnapshot(...args))
  loadSnapshot: Store['loadSnapshot'] = (...args) => this.#alive(() => this.#store.loadSnapshot(...args))
  erase: Store['erase'] = (...args) => this.#alive(() => this.#store.erase(...args))
  drop: Store['drop'] = (...args) => this.#alive(() => this.#store.drop(...args))
  close: Store['close'] = () => this.#alive(() => this.#store.close())

  appendAndClaim: Store['appendAndClaim'] = (...args) =>
    this.#alive(async () => {
      const { head, lease } = await this.#store.appendAndClaim(...args)
      return lease === undefined ? { head } : { head, lease: this.#lease(lease) }
    })

  claim: Store['claim'] = (leaseMs, signal) =>
    this.#alive(async () => {
      const lease = await this.#store.claim(leaseMs, AbortSignal.any([signal, this.#death.signal]))
      return lease && this.#lease(lease)
    })

  publish: Store['publish'] = (session, live) => {
    if (!this.#death.signal.aborted) this.#store.publish(session, live)
  }

  tail: Store['tail'] = (session, after, signal) => {
    const end = signal === undefined ? this.#death.signal : AbortSignal.any([signal, this.#death.signal])
    const tail = this.#store.tail(session, after, end)[Symbol.asyncIterator]()
    const next = () => this.#alive(() => tail.next())
    const stop = async () => (await tail.return?.()) ?? { done: true as const, value: undefined }
    return { [Symbol.asyncIterator]: () => ({ next, return: stop }) }
  }

  #lease(lease: Lease): Lease {
    return {
      session: lease.session,
      renew: () => this.#alive(() => lease.renew()),
      release: (nextWakeAt) => this.#alive(() => lease.release(nextWakeAt)),
    }
  }

  /** A process that dies during a call never learns what came of it. */
  #alive<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.#death.signal.aborted) return never()
    const outlived = () => this.#death.signal.aborted
    return call().then(
      (value) => (outlived() ? never() : value),
      (error: unknown) => (outlived() ? never() : Promise.reject(error)),
    )
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}
