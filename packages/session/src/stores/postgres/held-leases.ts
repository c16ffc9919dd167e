import type { Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

interface Held {
  readonly owner: string
  readonly leaseMs: number
  readonly renewedAt: number
}

/**
 * The sessions that this process has the lease of. Other processes tell it what they append to them. A host that fails
 * neither renews a lease nor gives it back: when its time is over, another process has it, or soon will.
 */
export class HeldLeases {
  readonly #clock: Clock
  readonly #held = new Map<string, Held>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(session: string): boolean {
    return this.#held.has(session)
  }

  begin(session: string, owner: string, leaseMs: number): void {
    this.#held.set(session, { owner, leaseMs, renewedAt: elapsed(this.#clock) })
  }

  /** It runs for its full time again, also when it was taken for over. */
  renewed(session: string, owner: string, leaseMs: number): void {
    const other = this.#held.get(session)
    if (other === undefined || other.owner === owner) this.begin(session, owner, leaseMs)
  }

  /** True when that was the lease of this process. */
  end(session: string, owner = this.#held.get(session)?.owner): boolean {
    return this.#held.get(session)?.owner === owner && this.#held.delete(session)
  }

  /** The sessions whose time is over, by the monotonic time of this process. */
  overdue(): readonly string[] {
    const now = elapsed(this.#clock)
    return [...this.#held].flatMap(([session, { renewedAt, leaseMs }]) => (now - renewedAt > leaseMs ? [session] : []))
  }
}
