import type { Transmitted } from '@cool-ai/beach-channel/people'
import { retryAfterMs } from '@cool-ai/beach-channel/guarded-fetch'
import { isBeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

export type NotSent = Exclude<Transmitted, { status: 'sent' }>

/** A service's reason for refusing a request. */
interface ServiceProblem {
  readonly code?: number | undefined
  readonly message?: string | undefined
  readonly isRate: boolean
  /** True when a later try may succeed. */
  readonly isPassing?: boolean
}

const maxWaitMs = 15_000

/** What the HTTP interfaces of all services have in common: they may ask us to wait, and may be unreachable. */
export abstract class ServiceApi {
  readonly #name: string
  readonly #runtime: Runtime
  /** Until then it wants no messages. */
  #notBefore = 0

  constructor(name: string, runtime: Runtime) {
    this.#name = name
    this.#runtime = runtime
  }

  /** Waits as the service has asked; returns the reason when that would take too long. */
  protected async wait(signal: AbortSignal): Promise<NotSent | undefined> {
    const { clock } = this.#runtime
    const waitMs = this.#notBefore - elapsed(clock)
    if (waitMs > maxWaitMs) return { status: 'failed', reason: `${this.#name} has asked us to wait.` }
    if (waitMs > 0) await sleep(clock, waitMs, signal)
    return undefined
  }

  protected async reach<Outcome>(run: () => Promise<Outcome>): Promise<Outcome | NotSent> {
    try {
      return await run()
    } catch (error) {
      this.#runtime.logger.log('warn', `${this.#name} was not reached`, { error })
      if (isBeachError(error) && !error.retryable) return { status: 'refused', reason: error.message }
      return { status: 'failed', reason: `${this.#name} was not reached.`, isUncertain: true }
    }
  }

  protected notSent(
    { status, headers }: Response,
    problem: ServiceProblem,
  ): NotSent & { status: 'failed' | 'refused' } {
    const { code, message, isRate, isPassing = false } = problem
    const { clock } = this.#runtime
    const asked = isRate ? retryAfterMs(headers.get('retry-after'), clock.now()) : undefined
    if (asked !== undefined) this.#notBefore = elapsed(clock) + asked
    const said = message === undefined ? '' : `: ${message.slice(0, 200)}`
    const reason = `${this.#name} answered ${status}${code === undefined ? '' : ` (${code})`}${said}.`
    const passes = isRate || isPassing || status >= 500 || status === 401 || status === 408 || status < 300
    return { status: passes ? 'failed' : 'refused', reason }
  }
}
