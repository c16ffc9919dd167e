import type { Clock } from '@cool-ai/beach-core'
import { maxLookMs } from '../stores/claims.ts'

/** Why a run ends other than by its actor. */
export class Stop extends Error {
  readonly reason: 'cancelled' | 'leaseLost' | 'shutdown' | 'suspended'

  constructor(reason: Stop['reason']) {
    super(`The run was stopped: ${reason}.`)
    this.name = 'Stop'
    this.reason = reason
  }
}

/**
 * An AbortController that creates its signal on first use. Most turns end before that, and a signal that
 * aborts is expensive, even without listeners.
 */
export class LazyAbortController {
  aborted = false
  reason: unknown
  #controller: AbortController | undefined
  #onAbort: Set<(reason: unknown) => void> | undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  /** Aborts, once; later reasons are ignored. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.#controller?.abort(reason)
    for (const run of this.#onAbort ?? []) run(reason)
    this.#onAbort = undefined
  }

  /** The result of some work, or the reason when this aborts first: the work may ignore it. */
  or<Value>(work: Value | PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const letGo = this.onAbort(reject)
      Promise.resolve(work).finally(letGo).then(resolve, reject)
    })
  }

  /** Runs something when this aborts, or at once; the returned function takes that back. */
  onAbort(run: (reason: unknown) => void): () => void {
    if (this.aborted) {
      run(this.reason)
      return () => {}
    }
    const all = (this.#onAbort ??= new Set())
    all.add(run)
    return () => all.delete(run)
  }
}

/** The state may have changed: the waiter looks again, also when the signal was raised before the wait began. */
export class Latch {
  #raised = false
  #resume: (() => void) | undefined

  raise(): void {
    this.#raised = true
    this.#resume?.()
  }

  /** Waits until it is raised, or for the clock to reach `until`, or for a while in which the clock may have been set; lowers it again. */
  async wait(clock: Clock, until = Infinity): Promise<void> {
    if (!this.#raised) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#resume = resolve
      const ms = Math.min(until - clock.now(), maxLookMs)
      const cancel = until === Infinity ? undefined : clock.timer(ms, resolve)
      await promise
      cancel?.()
    }
    this.#raised = false
  }
}
