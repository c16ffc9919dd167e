import { isBeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import type { EventDraft, SessionLog, SessionState } from '@cool-ai/beach-core/log'
import type { Effect, EffectRun } from '@cool-ai/beach-core/ports'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import { Stop, type LazyAbortController } from './signals.ts'

/** How long after a failure something is tried again. */
export const failedAgainMs = 1_000

export interface RunningEffectsOptions {
  readonly log: SessionLog
  readonly session: string
  readonly runtime: Runtime
  readonly stop: LazyAbortController
  /** The epoch of this host: commits of a replaced host no longer count. */
  readonly epoch: () => number
  /** Called when one has ended. */
  readonly onEnd: () => void
}

/** The effects of one session that this host runs: each once, in parallel to the turn, while the state asks for it. */
export class RunningEffects {
  readonly #options: RunningEffectsOptions
  readonly #started = new Set<string>()
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>()
  #failed = false

  constructor(options: RunningEffectsOptions) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#running.size === 0
  }

  /** True when one has thrown: it is tried again after a while, in this leased session or in another. */
  get hasFailed(): boolean {
    return this.#failed
  }

  /**
   * Starts effects that have not been started yet, unless nothing new may begin, and aborts those that are no longer
   * wanted.
   */
  keep(effects: readonly Effect[], mayBegin = true): void {
    const wanted = new Set(effects.map(({ key }) => key))
    for (const [key, { abort }] of this.#running) if (!wanted.has(key)) abort.abort()
    // An effect that is wanted again later is run again.
    for (const key of this.#started) if (!wanted.has(key) && !this.#running.has(key)) this.#started.delete(key)
    for (const effect of effects) {
      if (!mayBegin || this.#started.has(effect.key)) continue
      this.#started.add(effect.key)
      this.#start(effect)
    }
  }

  /** Aborts all of them, without their grace periods. */
  abort(reason: Stop): void {
    for (const { abort } of this.#running.values()) abort.abort(reason)
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  #start(effect: Effect): void {
    const abort = new AbortController()
    const unlink = this.#abortWithLease(abort, effect)
    const done = this.#run(effect, abort.signal).finally(() => {
      unlink()
      this.#running.delete(effect.key)
      this.#options.onEnd()
    })
    this.#running.set(effect.key, { abort, done })
  }

  /** Aborts the effect when its leased session ends: at once, or after its grace when the host only shuts down. */
  #abortWithLease(abort: AbortController, { graceMs = 0 }: Effect): () => void {
    const { stop, runtime } = this.#options
    let cancel = () => {}
    const letGo = stop.onAbort((reason) => {
      const now = () => abort.abort(reason)
      const isGraceful = reason instanceof Stop && reason.reason === 'shutdown'
      if (isGraceful && graceMs > 0) cancel = runtime.clock.timer(graceMs, now)
      else now()
    })
    return () => {
      cancel()
      letGo()
    }
  }

  async #run(effect: Effect, signal: AbortSignal): Promise<void> {
    const { session, runtime } = this.#options
    const run: EffectRun = { session, signal, commit: (decide) => this.#commit(decide, signal) }
    try {
      // One that ignores the signal is not waited for; it can write nothing any more.
      await raceAbort(effect.run(run), signal)
    } catch (error) {
      if (signal.aborted || isBeachError(error, 'LEASE_LOST')) return
      this.#failed = true
      // Its key may contain an address.
      runtime.logger.log('error', 'an effect failed', { session, slice: effect.key.split(':', 1)[0], error })
      void this.#again(effect.key)
    }
  }

  /** A turn may wait for it: it is tried again while the leased session lasts, if the state still asks for it. */
  async #again(key: string): Promise<void> {
    await sleep(this.#options.runtime.clock, failedAgainMs, this.#options.stop.signal)
    this.#started.delete(key)
    this.#options.onEnd()
  }

  async #commit(decide: (state: SessionState) => EventDraft[], signal: AbortSignal) {
    const { log, session } = this.#options
    const fenced = (state: SessionState) => {
      signal.throwIfAborted()
      return decide(state)
    }
    const { events } = await log.commit(session, fenced, { epoch: this.#options.epoch })
    return events
  }
}
