import { jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, isBeachError, type Runtime } from '@cool-ai/beach-core'

/** A store whose readiness can be checked. One that has no `check` counts as ready. */
interface Checkable {
  /** Writes something; rejects when that cannot be done. */
  check?(): Promise<void>
}

interface ReadinessOptions {
  readonly agent: { readonly id: string }
  readonly runtime: Runtime
  /** Everything that the agent cannot do without, by name. */
  readonly parts: Readonly<Record<string, Checkable | undefined>>
}

/** A part that is not ready, and why. */
export interface Failing {
  readonly part: string
  readonly code: string
  readonly message: string
}

// Any caller may ask: one write to the disk answers all requests within this time.
const maxAgeMs = 1_000
const maxWaitMs = 5_000
const retryAfterS = '5'

/** Whether the agent can take work now: it is not stopping, and each of its stores can be written. */
export class Readiness {
  readonly #options: ReadinessOptions
  #running: Promise<readonly Failing[]> | undefined
  #latest: { readonly at: number; readonly failing: readonly Failing[] } | undefined
  #isStopping = false

  constructor(options: ReadinessOptions) {
    this.#options = options
  }

  /** From now on the agent is not ready, even if its stores are: it finishes what it has begun. */
  stopping(): void {
    this.#isStopping = true
  }

  /** What is not ready; empty when the agent is. */
  async failing(): Promise<readonly Failing[]> {
    if (this.#isStopping) return [{ part: 'agent', code: 'STOPPING', message: 'The agent is stopping.' }]
    const age = this.#latest === undefined ? Infinity : this.#now() - this.#latest.at
    // A clock that was set back also makes the last result old.
    if (this.#latest !== undefined && age >= 0 && age < maxAgeMs) return this.#latest.failing
    this.#running ??= this.#look()
    return this.#running
  }

  /** The answer to `GET /readyz`. */
  async answer(): Promise<Response> {
    const { id: agent } = this.#options.agent
    const failing = await this.failing()
    const [first] = failing
    if (first === undefined) return jsonResponse({ status: 'ready', agent })
    const error = { code: first.code, message: first.message }
    return jsonResponse({ status: 'unavailable', agent, error, failing }, 503, { 'retry-after': retryAfterS })
  }

  async #look(): Promise<readonly Failing[]> {
    const failing = await this.#check()
    this.#latest = { at: this.#now(), failing }
    this.#running = undefined
    return failing
  }

  #now(): number {
    return this.#options.runtime.clock.now()
  }

  async #check(): Promise<readonly Failing[]> {
    const checks = Object.entries(this.#options.parts).map(async ([part, checked]) => {
      try {
        await this.#inTime(checked?.check?.())
        return []
      } catch (error) {
        return [this.#failure(part, error)]
      }
    })
    return (await Promise.all(checks)).flat()
  }

  /** A check that hangs, as on a lock or an unresponsive disk, counts as not ready. */
  async #inTime(check: Promise<void> | undefined): Promise<void> {
    if (check === undefined) return
    const { promise: late, reject } = Promise.withResolvers<never>()
    const cancel = this.#options.runtime.clock.timer(maxWaitMs, () =>
      reject(new BeachError('STORE_BUSY', `It has not been written within ${maxWaitMs / 1_000} seconds.`)),
    )
    try {
      await Promise.race([check, late])
    } finally {
      cancel()
    }
  }

  #failure(part: string, error: unknown): Failing {
    this.#options.runtime.logger.log('error', 'a store is not ready', { part, error })
    if (isBeachError(error)) return { part, code: error.code, message: error.message }
    return { part, code: 'STORE_UNAVAILABLE', message: 'It cannot be used right now.' }
  }
}
