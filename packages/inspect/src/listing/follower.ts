import { sleep, type Runtime, type Store } from '@cool-ai/beach-core'
import { toLogged, type EventDraft } from '@cool-ai/beach-core/log'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import type { Metrics } from '../metrics/metrics.ts'
import { foldRow, openedRow, type SessionRow } from './session-row.ts'
import type { SessionIndex } from './session-index.ts'

const restMs = 300
const againMs = 5_000
const pageSize = 500
const sweepPauseMs = 20
const sweptKey = 'inspect:swept'

interface FollowerOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly index: SessionIndex
  readonly metrics: Metrics
}

/** Keeps the rows of sessions up to date: with what this process commits, and once with what was there before. */
export class Follower {
  readonly #options: FollowerOptions
  readonly #changed = new Set<string>()
  readonly #ending = new AbortController()
  #cancelTimer: (() => void) | undefined
  #reading: Promise<void> = Promise.resolve()
  #sweeping: Promise<void> = Promise.resolve()

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** A session's log may have grown. */
  readonly noticed = (session: string, events: readonly EventDraft[] = []): void => {
    this.#options.metrics.count(session, events)
    this.#changed.add(session)
    this.#wait(restMs)
  }

  start(): void {
    this.#sweeping = this.#sweep().catch((error: unknown) => this.#report('indexing the sessions failed', error))
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    this.#cancelTimer?.()
    await this.#sweeping
    await this.#reading
    await this.#readChanged()
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

  #wait(ms: number): void {
    if (this.#cancelTimer !== undefined || this.#ending.signal.aborted) return
    this.#cancelTimer = this.#options.runtime.clock.timer(ms, () => {
      this.#cancelTimer = undefined
      this.#reading = this.#reading.then(() => this.#readChanged())
    })
  }

  async #readChanged(): Promise<void> {
    const sessions = [...this.#changed]
    this.#changed.clear()
    for (const session of sessions) {
      try {
        const row = await this.row(session)
        if (row !== undefined) this.#options.metrics.belongs(session, row.tenant)
      } catch (error) {
        if (this.#ending.signal.aborted) return
        this.#report('indexing a session failed; it is tried again', error)
        this.#changed.add(session)
      }
    }
    await this.#options.metrics.flush().catch((error: unknown) => this.#report('keeping the metrics failed', error))
    if (this.#changed.size > 0) this.#wait(againMs)
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
