import { sleep, type Runtime, type Store } from '@cool-ai/beach-core'
import { isTurnInProgress, toLogged, type EventDraft } from '@cool-ai/beach-core/log'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import type { Metrics } from '../metrics/metrics.ts'
import { SessionBatch } from './session-batch.ts'
import { foldRow, openedRow, type SessionRow } from './session-row.ts'
import type { SessionIndex } from './session-index.ts'

const restMs = 300
const laterMs = 10_000
const pageSize = 500
const maxNoted = 1_000
/** How many sessions are read before an operator who looks gets the answer; the others follow in their time. */
const maxAtLook = 100
const sweepPauseMs = 20
const sweptKey = 'inspect:swept'

interface FollowerOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly index: SessionIndex
  readonly metrics: Metrics
}

/** What this process has committed and the metrics have not counted yet. */
interface Noted {
  readonly session: string
  readonly events: readonly EventDraft[]
  readonly at: number
}

/**
 * Keeps the rows of sessions up to date: with what this process commits, and once with what was there before. A turn
 * costs nothing here while it is in progress: it is read and counted once it has settled, or when an operator looks.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #settled: SessionBatch
  /** Sessions whose turn is in progress, or that could not be read. */
  readonly #later: SessionBatch
  readonly #ending = new AbortController()
  #noted: Noted[] = []
  #ended = false
  #reading: Promise<void> = Promise.resolve()
  #sweeping: Promise<void> = Promise.resolve()

  constructor(options: FollowerOptions) {
    this.#options = options
    const { clock } = options.runtime
    this.#settled = new SessionBatch(clock, restMs, () => void this.#read(this.#settled.take()))
    this.#later = new SessionBatch(clock, laterMs, () => void this.#read(this.#later.take()))
  }

  /** A session's log may have grown by these events. */
  readonly noticed = (session: string, events: readonly EventDraft[] = []): void => {
    if (this.#ended) return
    this.#noted.push({ session, events, at: this.#options.runtime.clock.now() })
    if (this.#noted.length > maxNoted) this.#countNoted()
    if (isTurnInProgress(events)) return this.#later.add(session)
    this.#later.remove(session)
    this.#settled.add(session)
  }

  start(): void {
    this.#sweeping = this.#sweep().catch((error: unknown) => this.#report('indexing the sessions failed', error))
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#sweeping
    const last = this.#read([...this.#settled.take(), ...this.#later.take()])
    this.#ended = true
    await last
  }

  /** Reads what this process has committed, for an operator who looks now. */
  caughtUp(): Promise<void> {
    return this.#read([...this.#settled.take(maxAtLook), ...this.#later.take(maxAtLook)])
  }

  /** The row of a session as its log is now; undefined when there is no such session. */
  async row(session: string): Promise<SessionRow | undefined> {
    const { store, index } = this.#options
    const known = await index.row(session)
    // With the last event that was read, which tells whether the log is still there.
    let row = known
    for (let at = known === undefined ? 0 : known.seq - 1; ;) {
      const page = (await store.read(session, at, pageSize)).map(toLogged)
      const [first] = page
      if (at === (known?.seq ?? 0) - 1 && first?.seq !== known?.seq) {
        await index.remove(session)
        return known === undefined ? undefined : this.row(session)
      }
      const isErased = page.some(({ seq, event }) => seq > (known?.seq ?? Infinity) && event.type === 'dataErased')
      if (isErased) {
        // The words of the row may be among those that were erased: it is made anew.
        await index.remove(session)
        return this.row(session)
      }
      for (const logged of page) {
        if (row === undefined) row = openedRow(session, logged)
        else if (logged.seq > row.seq) row = foldRow(row, logged)
        if (row === undefined) return undefined
      }
      at = page.at(-1)?.seq ?? at
      if (page.length < pageSize) break
      await yieldToEventLoop()
    }
    if (row !== undefined && row.seq !== known?.seq) await index.put(row, known)
    return row
  }

  /** One reader at a time. */
  #read(sessions: readonly string[]): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readAll(sessions))
    return this.#reading
  }

  async #readAll(sessions: readonly string[]): Promise<void> {
    const { metrics } = this.#options
    this.#countNoted()
    for (const session of sessions) {
      try {
        const row = await this.row(session)
        if (row !== undefined) metrics.belongs(session, row.tenant)
      } catch (error) {
        if (this.#ended) return
        this.#report('indexing a session failed; it is tried again', error)
        this.#later.add(session)
      }
    }
    await metrics.flush().catch((error: unknown) => this.#report('keeping the metrics failed', error))
  }

  #countNoted(): void {
    const noted = this.#noted
    this.#noted = []
    for (const { session, events, at } of noted) this.#options.metrics.count(session, events, at)
  }

  /** Makes the rows of sessions that were there before the inspector was, a few at a time; it goes on after a restart. */
  async #sweep(): Promise<void> {
    const { store, index, runtime } = this.#options
    const [known] = await store.list(sweptKey, undefined, 1)
    if (known?.value === 'done') return
    let after = known?.value
    for (;;) {
      const keys = await store.list('session:', after, 100)
      for (const { value } of keys) {
        if (this.#ending.signal.aborted) return
        if ((await index.row(value)) === undefined) await this.row(value)
        await yieldToEventLoop()
      }
      after = keys.at(-1)?.key
      const isDone = keys.length < 100 || after === undefined
      await store.unbind(sweptKey)
      await store.bind(sweptKey, isDone ? 'done' : (after ?? ''))
      if (isDone) return
      await sleep(runtime.clock, sweepPauseMs, this.#ending.signal).catch(() => {})
    }
  }

  #report(message: string, error: unknown): void {
    this.#options.runtime.logger.log('error', message, { error })
  }
}
