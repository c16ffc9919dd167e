import type { Clock } from '@cool-ai/beach-core'
import { tooSlow } from './failures.ts'
import type { FetchLimits } from './limits.ts'

/** Ends a request when one of its limits in time passes, or its caller no longer wants it. */
export class Deadline {
  readonly #clock: Clock
  readonly #limits: FetchLimits
  readonly #host: string
  readonly #controller = new AbortController()
  readonly #cancels = new Set<() => void>()
  #cancelHeaders: () => void

  constructor(clock: Clock, limits: FetchLimits, host: string, caller?: AbortSignal | null) {
    this.#clock = clock
    this.#limits = limits
    this.#host = host
    this.#after(limits.totalMs, `did not finish its answer within ${seconds(limits.totalMs)}`)
    this.#cancelHeaders = this.#after(limits.headersMs, `did not begin to answer within ${seconds(limits.headersMs)}`)
    if (caller) this.#follow(caller)
  }

  /** Aborts with the error to throw: a TIMEOUT, or the caller's reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The head of the answer is there. */
  begun(): void {
    this.#cancelHeaders()
  }

  /** Starts to wait for the next piece of the body; the returned function says that it has arrived. */
  waiting(): () => void {
    return this.#after(this.#limits.idleMs, 'stopped in the middle of its answer')
  }

  /** The answer is there, all of it. */
  done(): void {
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
  }

  /** Aborts the request; the first reason stays. */
  end(reason: unknown): void {
    this.done()
    this.#controller.abort(reason)
  }

  #after(ms: number, what: string): () => void {
    if (ms === Infinity) return () => {}
    const cancelTimer = this.#clock.timer(ms, () => this.end(tooSlow(this.#host, what)))
    const cancel = () => {
      this.#cancels.delete(cancel)
      cancelTimer()
    }
    this.#cancels.add(cancel)
    return cancel
  }

  #follow(caller: AbortSignal): void {
    const abort = () => this.end(caller.reason)
    if (caller.aborted) return abort()
    caller.addEventListener('abort', abort, { once: true })
    this.#cancels.add(() => caller.removeEventListener('abort', abort))
  }
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`
}
