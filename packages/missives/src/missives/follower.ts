import type { Envelope, Runtime, Store } from '@cool-ai/beach-core'
import { isTurnInProgress, toLogged, type EventDraft } from '@cool-ai/beach-core/log'
import type { MissiveStore } from './missive-store.ts'
import { BackgroundThrottle } from './background-throttle.ts'
import { Projection, type ProjectionContext } from './projection.ts'

export interface FollowerOptions {
  /** The sessions' logs. */
  readonly store: Store
  readonly missives: MissiveStore
  readonly runtime: Runtime
  /** The addresses of an originator. */
  readonly addressesOf: ProjectionContext['addressesOf']
}

/** Builds the envelopes of turns. */
export type EnvelopeMaker = Pick<ProjectionContext, 'envelopeFrom'>

const pageSize = 100
const listSize = 500
const restMs = 250
const againMs = 5_000
const inProgressMs = 10_000
const sweepMs = 60 * 60 * 1_000

/**
 * Reads the sessions' logs after their writers and stores their messages as missives. No caller waits for it: changes
 * are read a moment later, and what a crash or another process has left is found by going through all sessions, at the
 * start and every hour.
 */
export class MissiveFollower {
  readonly #options: FollowerOptions
  readonly #context: ProjectionContext
  readonly #changed = new Set<string>()
  /** Sessions whose turn is in progress, or that could not be read, each with what cancels its timer. */
  readonly #later = new Map<string, () => void>()
  readonly #throttle: BackgroundThrottle
  #sessions: EnvelopeMaker | undefined
  #cancelSweep: (() => void) | undefined
  #cancelRead: (() => void) | undefined
  #reading: Promise<void> | undefined
  #sweeping: Promise<void> | undefined
  #ended = false

  constructor(options: FollowerOptions) {
    this.#options = options
    const { store, addressesOf } = options
    this.#context = {
      addressesOf,
      read: async (session, after, limit) => (await store.read(session, after, limit)).map(toLogged),
      envelopeFrom: (events, target) => this.#envelopeFrom(events, target),
    }
    this.#throttle = new BackgroundThrottle(options.runtime.clock)
  }

  /** The session's log may have grown by these events. A turn that is in progress is read once it has settled. */
  readonly noticed = (session: string, events: readonly EventDraft[] = []): void => {
    if (isTurnInProgress(events)) return this.#readLater(session, inProgressMs)
    this.#later.get(session)?.()
    this.#later.delete(session)
    this.#changed.add(session)
    this.#wait()
  }

  /** Starts to follow, with all that was missed. */
  start(sessions: EnvelopeMaker): void {
    this.#sessions = sessions
    this.#sweepAgain()
    this.#wait()
  }

  /** Lets what is being read come to its end, and reads no more. */
  async stop(): Promise<void> {
    this.#ended = true
    for (const cancel of [this.#cancelSweep, this.#cancelRead, ...this.#later.values()]) cancel?.()
    await this.#throttle.runUrgently(async () => {
      await this.#sweeping?.catch(() => {})
      await this.#reading
    })
  }

  /** Reads what has changed as far as this process knows; afterwards all of it is stored. */
  caughtUp(): Promise<void> {
    return this.#throttle.runUrgently(async () => {
      for (const session of this.#later.keys()) this.noticed(session)
      while (this.#changed.size > 0 || this.#reading !== undefined) {
        await this.#read((session, error) => {
          this.#readLater(session, againMs)
          throw error
        })
      }
    })
  }

  /** Reads one session to its end. */
  catchUp(session: string): Promise<void> {
    return this.#throttle.runUrgently(() => this.#project(session))
  }

  /** Goes through all sessions; afterwards everything is stored that was in a log when it began. */
  sweep(): Promise<void> {
    return this.#throttle.runUrgently(() => this.#sweepOnce())
  }

  async #sweepOnce(): Promise<void> {
    await this.#sweeping?.catch(() => {})
    this.#sweeping = this.#sweep().finally(() => {
      this.#sweeping = undefined
    })
    await this.#sweeping
  }

  /** Rebuilds everything. */
  async rebuild(): Promise<void> {
    await this.caughtUp()
    await this.#options.missives.clear()
    await this.sweep()
  }

  async #sweep(): Promise<void> {
    const failures: unknown[] = []
    this.#throttle.begin()
    for await (const session of this.#everySession()) {
      if (this.#ended) return
      try {
        await this.#project(session)
      } catch (error) {
        // A failure of one session does not stop the others.
        failures.push(error)
        this.noticed(session)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Those that are listed, and those that no longer are: erased or dropped, so that their missives go too. */
  async *#everySession(): AsyncGenerator<string> {
    const { store, missives } = this.#options
    for (let after: string | undefined; ;) {
      const page = await store.list('session:', after, listSize)
      for (const { value } of page) yield value
      after = page.at(-1)?.key
      if (page.length < listSize) break
    }
    for (let after: string | undefined; ;) {
      const page = await missives.sessions(after, listSize)
      yield* page
      after = page.at(-1)
      if (page.length < listSize) return
    }
  }

  #sweepAgain(): void {
    const report = (error: unknown) => this.#report('going through the sessions for missives failed', { error })
    this.#sweepOnce().catch((error: unknown) => {
      if (!this.#ended) report(error)
    })
    this.#cancelSweep = this.#options.runtime.clock.timer(sweepMs, () => this.#sweepAgain())
  }

  /** Reads what has changed after a moment, together with what else changes until then. */
  #wait(): void {
    if (this.#cancelRead !== undefined || this.#ended || this.#sessions === undefined) return
    this.#cancelRead = this.#options.runtime.clock.timer(restMs, () => {
      this.#cancelRead = undefined
      void this.#read((session, error) => {
        this.#report('keeping the missives of a session failed; it is tried again', { session, error })
        this.#readLater(session, againMs)
      }).then(() => {
        if (this.#changed.size > 0) this.#wait()
      })
    })
  }

  #readLater(session: string, ms: number): void {
    if (this.#ended || this.#later.has(session)) return
    this.#later.set(
      session,
      this.#options.runtime.clock.timer(ms, () => this.noticed(session)),
    )
  }

  /** One reader at a time. */
  async #read(failed: (session: string, error: unknown) => void): Promise<void> {
    if (this.#reading !== undefined) return this.#reading
    const reading = this.#readChanged(failed).finally(() => {
      this.#reading = undefined
    })
    this.#reading = reading.catch(() => {})
    return reading
  }

  async #readChanged(failed: (session: string, error: unknown) => void): Promise<void> {
    const sessions = [...this.#changed]
    this.#changed.clear()
    this.#throttle.begin()
    for (const [index, session] of sessions.entries()) {
      if (this.#ended) return
      try {
        await this.#project(session)
      } catch (error) {
        if (this.#ended) return
        try {
          failed(session, error)
        } catch (failure) {
          for (const left of sessions.slice(index + 1)) this.#changed.add(left)
          throw failure
        }
      }
    }
  }

  /** Reads a session's log from where it was read to. */
  async #project(session: string): Promise<void> {
    const { missives } = this.#options
    while (!this.#ended) {
      await this.#throttle.step()
      const place = await missives.place(session)
      const seq = place?.seq ?? 0
      // With the last one that was read, which tells whether the log is still there.
      const [last, ...news] = await this.#context.read(session, seq - 1, pageSize + 1)
      if (seq > 0 && last?.seq !== seq) return missives.drop(session)
      // Channels keep logs of their own, which are no sessions.
      if (seq === 0 && last?.event.type !== 'sessionOpened') return
      const events = seq === 0 && last !== undefined ? [last, ...news] : news
      if (events.length === 0) return
      const projection = new Projection(session, place?.state, this.#context)
      let reached = seq
      for (const logged of events) {
        await projection.take(logged)
        reached = projection.restarts ? 0 : logged.seq
        if (projection.restarts) break
      }
      const next = { seq: reached, state: projection.state }
      const isWritten = await missives.write(session, seq, next, projection.changes)
      if (isWritten && !projection.restarts && events.length < pageSize) return
    }
  }

  #envelopeFrom(...[events, target]: Parameters<ProjectionContext['envelopeFrom']>): Envelope | undefined {
    try {
      return this.#sessions?.envelopeFrom(events, target)
    } catch (error) {
      // It would fail again: better one answer without its parts than no missive of that session from here on.
      const { session, turnId } = target
      this.#report('the envelope of a missive could not be made', { session, turnId, error })
      return undefined
    }
  }

  #report(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#options.runtime.logger.log('error', message, fields)
  }
}
