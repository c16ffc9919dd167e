import { sleep, systemClock, type Logger } from '@cool-ai/beach-core'

export interface FollowedSessionsOptions {
  /** Puts on record that this process follows these sessions. */
  readonly add: (sessions: readonly string[]) => Promise<unknown>
  readonly remove: (sessions: readonly string[]) => Promise<unknown>
  readonly logger: Logger
}

const maxAtOnce = 500
const pauseMs = 500

/** The sessions that this process follows, on record in the database so that the others tell it what they append. */
export class FollowedSessions {
  readonly #options: FollowedSessionsOptions
  readonly #wanted = new Set<string>()
  readonly #waiting = new Map<string, { readonly promise: Promise<void>; readonly resolve: () => void }>()
  #recorded = new Set<string>()
  readonly #added = new Set<string>()
  readonly #removed = new Set<string>()
  #running = false
  #closed = false

  constructor(options: FollowedSessionsOptions) {
    this.#options = options
  }

  isRecorded(session: string): boolean {
    return this.#wanted.has(session) && this.#recorded.has(session)
  }

  /** All that are on record or about to be. */
  all(): readonly string[] {
    return [...this.#wanted]
  }

  /** From when this resolves on, every append of another process is told here. */
  follow(session: string): Promise<void> {
    this.#wanted.add(session)
    this.#removed.delete(session)
    if (this.#recorded.has(session) || this.#closed) return Promise.resolve()
    const waiting = this.#waiting.get(session) ?? Promise.withResolvers<void>()
    this.#waiting.set(session, waiting)
    this.#added.add(session)
    void this.#write()
    return waiting.promise
  }

  /** Resolves once a session that this process begins to follow is on record; at once for others. */
  recorded(session: string): Promise<void> {
    return this.#waiting.get(session)?.promise ?? Promise.resolve()
  }

  unfollow(session: string): void {
    this.#wanted.delete(session)
    this.#added.delete(session)
    this.#answer(session)
    if (!this.#recorded.has(session)) return
    this.#removed.add(session)
    void this.#write()
  }

  /** The record is gone, as when this process was silent for too long: it is made again. */
  async recordAgain(): Promise<void> {
    this.#recorded = new Set()
    await Promise.all(this.all().map((session) => this.follow(session)))
  }

  close(): void {
    this.#closed = true
    for (const session of this.#waiting.keys()) this.#answer(session)
  }

  async #write(): Promise<void> {
    if (this.#running) return
    this.#running = true
    // What begins and ends in the same moment is not written at all.
    await new Promise((resolve) => setImmediate(resolve))
    while ((this.#added.size > 0 || this.#removed.size > 0) && !this.#closed) {
      try {
        await this.#writeSome()
      } catch (error) {
        this.#options.logger.log('warn', 'the sessions that are followed here could not be recorded', { error })
        await sleep(systemClock, pauseMs)
      }
    }
    this.#running = false
  }

  async #writeSome(): Promise<void> {
    const recorded = this.#recorded
    const removed = [...this.#removed].slice(0, maxAtOnce)
    const added = [...this.#added].slice(0, maxAtOnce)
    for (const session of removed) recorded.delete(session)
    if (removed.length > 0) await this.#options.remove(removed)
    for (const session of removed) this.#removed.delete(session)
    if (added.length === 0) return
    await this.#options.add(added)
    for (const session of added) {
      const wasLeft = !this.#added.has(session)
      if (wasLeft) this.#removed.add(session)
      // The record may have gone meanwhile: then it is written once more.
      if (recorded !== this.#recorded) continue
      recorded.add(session)
      this.#added.delete(session)
      this.#answer(session)
    }
  }

  #answer(session: string): void {
    this.#waiting.get(session)?.resolve()
    this.#waiting.delete(session)
  }
}
