import { sleep, type Lease, type Store } from '@cool-ai/beach-core'
import { Hold, type HoldOptions } from './hold.ts'
import { Stop } from './stop.ts'
import { TurnSlots } from './turn-slots.ts'

export interface HostOptions extends Omit<HoldOptions, 'turnSlot' | 'firstSlot'> {
  /** Turns that this process runs at the same time. */
  readonly mostTurns?: number
}

// Claims that wait beside each other can be granted in one write of the store; one after the other would be a write each.
const mostClaims = 16
// Sessions may also be held for what runs beside turns: somebody who is slow to take an answer keeps no turn waiting.
const sessionsPerTurn = 10

/** Claims sessions and holds them: the only one that runs anything for the sessions it has leases of. */
export class Host {
  readonly #options: HostOptions
  readonly #store: Store
  readonly #slots: TurnSlots
  readonly #mostSessions: number
  readonly #claims: number
  readonly #stopping = new AbortController()
  readonly #held = new Set<Promise<void>>()
  readonly #waitingForRoom: (() => void)[] = []
  #loops: Promise<void>[] = []
  #reported: unknown

  constructor(options: HostOptions) {
    const { mostTurns = 200 } = options
    this.#options = options
    this.#store = options.store
    this.#slots = new TurnSlots(mostTurns)
    this.#mostSessions = mostTurns * sessionsPerTurn
    this.#claims = Math.min(mostClaims, mostTurns)
  }

  start(): void {
    this.#loops = Array.from({ length: this.#claims }, () => this.#claimLoop())
  }

  /** Stops what runs and gives every session back, so that another host can go on at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Stop('shutdown'))
    for (const resume of this.#waitingForRoom.splice(0)) resume()
    await Promise.all(this.#loops)
    await Promise.all(this.#held)
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // First the room for a turn, then the session: one that could not run here is left to another process.
      const giveBack = await this.#slots.take(signal)
      try {
        if (await this.#claim(giveBack, signal)) continue
        return giveBack()
      } catch (error) {
        giveBack()
        this.#report(error)
        await sleep(this.#options.runtime.clock, 1_000, signal)
      }
    }
  }

  /** Claims a session and holds it; false when there is no more to claim. */
  async #claim(giveBack: () => void, signal: AbortSignal): Promise<boolean> {
    while (this.#held.size >= this.#mostSessions && !signal.aborted) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve))
    }
    const lease: Lease | undefined = await this.#store.claim(this.#options.leaseMs, signal)
    if (lease === undefined) return false
    const turnSlot = (stop: AbortSignal) => this.#slots.take(stop)
    const holding: Promise<void> = new Hold(lease, { ...this.#options, turnSlot, firstSlot: giveBack }, signal)
      .run()
      .finally(() => this.#letGo(holding))
    this.#held.add(holding)
    return true
  }

  #letGo(holding: Promise<void>): void {
    this.#held.delete(holding)
    this.#waitingForRoom.shift()?.()
  }

  /** Claims that waited together fail together; one line says it. */
  #report(error: unknown): void {
    if (error === this.#reported) return
    this.#reported = error
    this.#options.runtime.logger.log('error', 'claiming a session failed', { error })
  }
}
