import type { CallablePeer } from '@cool-ai/beach-channel/peers'
import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

const defaultBudgetMs = 5 * 60_000
// A peer says itself how long it may take; no caller waits longer than this because of it.
const maxBudgetMs = 60 * 60_000
const cancelMs = 5_000

/** How long a peer may take: what it says itself, within reason, else five minutes. */
function turnBudgetMs({ card }: CallablePeer): number {
  const { turnBudgetSeconds } = card.beach ?? {}
  return turnBudgetSeconds === undefined ? defaultBudgetMs : Math.min(turnBudgetSeconds * 1_000, maxBudgetMs)
}

interface Limits {
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number | undefined
  readonly endsWith?: ((reason: unknown) => boolean) | undefined
}

interface GivenUp {
  readonly cancel: (signal: AbortSignal) => Promise<void>
  readonly leave: () => void
}

/** When a call is given up: because its time is over, or because its answer is no longer wanted. */
export class CallDeadline {
  readonly signal: AbortSignal
  readonly #runtime: Runtime
  readonly #peer: string
  readonly #late = new AbortController()
  readonly #endsWith: (reason: unknown) => boolean
  readonly #isGiven: boolean
  /** From here on the peer may have acted on what it was told. */
  #isReached = false
  #endsAt = 0
  #stop: () => void = () => {}
  #givenUp: GivenUp = { cancel: async () => {}, leave: () => {} }

  constructor(runtime: Runtime, peer: string, limits: Limits) {
    const { signal, timeout, endsWith = () => true } = limits
    this.#runtime = runtime
    this.#peer = peer
    this.#endsWith = endsWith
    this.#isGiven = timeout !== undefined
    this.signal = signal === undefined ? this.#late.signal : AbortSignal.any([signal, this.#late.signal])
    this.#begin(timeout ?? defaultBudgetMs)
  }

  get endsAt(): number {
    return this.#endsAt
  }

  /** The peer's card is there: unless the caller has said how long it waits, the peer has the time that it names. */
  reached(peer: CallablePeer): void {
    this.#isReached = true
    if (!this.#isGiven) this.#begin(turnBudgetMs(peer))
  }

  onGivenUp(run: GivenUp): void {
    this.#givenUp = run
  }

  /** What the call ends with; a peer that still works is told to stop. */
  errorOf(error: unknown): unknown {
    if (!this.signal.aborted) return error
    const isLate = this.#late.signal.aborted
    if (isLate || this.#endsWith(this.signal.reason)) void this.#tell()
    else this.#givenUp.leave()
    if (isLate) return this.#late.signal.reason
    const message = `The call of the agent '${this.#peer}' was cancelled.`
    return new BeachError('CANCELLED', message, { cause: this.signal.reason, details: { peer: this.#peer } })
  }

  end(): void {
    this.#stop()
  }

  #begin(ms: number): void {
    this.#stop()
    this.#endsAt = elapsed(this.#runtime.clock) + ms
    this.#stop = this.#runtime.clock.timer(ms, () => {
      const message = `The agent '${this.#peer}' has not answered within ${Math.ceil(ms / 1_000)} s.`
      const details = { peer: this.#peer, ...(this.#isReached && { outcome: 'unknown' }) }
      this.#late.abort(new BeachError('TIMEOUT', message, { details }))
    })
  }

  async #tell(): Promise<void> {
    const { clock, logger } = this.#runtime
    const late = new AbortController()
    const stop = clock.timer(cancelMs, () => late.abort(new BeachError('TIMEOUT', 'The peer does not answer.')))
    try {
      await this.#givenUp.cancel(late.signal)
    } catch (error) {
      logger.log('info', 'a peer could not be told to stop', { peer: this.#peer, error })
    } finally {
      stop()
      this.#givenUp.leave()
    }
  }
}
