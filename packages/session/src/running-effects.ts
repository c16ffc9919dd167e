import type { Effect, Logger, SessionLog } from '@cool-ai/beach-core'

/** The effects of one session that this host runs: each once per hold, beside the turn, its outcome committed. */
export class RunningEffects {
  readonly #log: SessionLog
  readonly #session: string
  readonly #logger: Logger
  readonly #signal: AbortSignal
  readonly #started = new Set<string>()
  readonly #running = new Set<Promise<void>>()

  constructor(options: { log: SessionLog; session: string; logger: Logger; signal: AbortSignal }) {
    this.#log = options.log
    this.#session = options.session
    this.#logger = options.logger
    this.#signal = options.signal
  }

  /** Starts what has not been started yet. */
  start(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (this.#started.has(effect.key)) continue
      this.#started.add(effect.key)
      const running: Promise<void> = this.#run(effect).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  /** Resolves when one of them has ended; undefined when none runs. */
  next(): Promise<void> | undefined {
    return this.#running.size === 0 ? undefined : Promise.race(this.#running)
  }

  async #run(effect: Effect): Promise<void> {
    try {
      const drafts = await effect.run(this.#signal)
      if (!this.#signal.aborted && drafts.length > 0) await this.#log.commit(this.#session, () => drafts)
    } catch (error) {
      if (!this.#signal.aborted) {
        this.#logger.log('error', 'an effect failed', { session: this.#session, effect: effect.key, error })
      }
    }
  }
}
