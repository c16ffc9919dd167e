import type { Logger, Runtime, Sessions, Store } from '@cool-ai/beach-core'
import { openRunPrefix } from '../live/open-run-prefix.ts'
import type { ThreadSession } from './threads.ts'

/** What a closed connection means: the turn is stopped at once, never, or when left out after a while without its client. */
export type CancelOnDisconnect = boolean | undefined

/** Long enough to load a page again, or to change networks. */
const graceMs = 5_000

/** What `FollowedTurns` works with. */
export interface FollowedTurnsOptions {
  readonly sessions: Sessions
  readonly store: Store
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly cancelOnDisconnect?: CancelOnDisconnect | undefined
}

/** A run whose client follows a turn. */
export interface FollowedRun {
  /** The run is over, or its connection was lost without its client's doing. */
  end(): void
  /** Its client has closed the connection in the middle of the turn. */
  leave(turnToStop: TurnToStop): void
}

/** The turn to stop: the one that the client followed, if it still runs and waits for no person. */
export type TurnToStop = () => Promise<string | undefined>

interface Leaving {
  readonly stop: () => Promise<void>
  readonly cancelTimer: () => void
}

/** A run whose end means nothing. */
export const ignoredRun: FollowedRun = { end: () => {}, leave: () => {} }

/**
 * Stops turns that their clients have left. AG-UI and the AI SDK have no message for that: to stop, a client closes its connection. So does
 * a page that is loaded again, or one that changes networks: a client that comes back to its turn in time goes on with it,
 * and one that says something new instead has given it up.
 */
export class FollowedTurns {
  readonly #options: FollowedTurnsOptions
  readonly #logger: Logger
  readonly #graceMs: number
  /** Open runs of this process, by session. */
  readonly #open = new Map<string, Set<object>>()
  /** What is stopped unless its client comes back, by session. */
  readonly #leaving = new Map<string, Set<Leaving>>()

  constructor(options: FollowedTurnsOptions) {
    this.#options = options
    this.#logger = options.runtime.logger
    this.#graceMs = options.cancelOnDisconnect === true ? 0 : graceMs
  }

  /** A run begins that follows a turn; one that brings nothing is its client come back (`isBack`). */
  begin(place: ThreadSession, { isBack }: { readonly isBack: boolean }): FollowedRun {
    const { session } = place
    if (this.#options.cancelOnDisconnect === false) return ignoredRun
    if (isBack) this.#forget(session)
    const mark = this.#mark(session, isBack)
    const open = this.#open.get(session) ?? new Set<object>()
    this.#open.set(session, open.add(mark))
    const end = () => {
      if (open.delete(mark) && open.size === 0 && this.#open.get(session) === open) this.#open.delete(session)
      return mark.remove()
    }
    return {
      end: () => void end(),
      leave: (turnToStop) => this.#leave(place, end(), turnToStop),
    }
  }

  /** The client of a thread says something new: turns that it has left are stopped now. */
  async moveOn({ session }: ThreadSession): Promise<void> {
    const leaving = this.#forget(session)
    await Promise.all(leaving.map(({ stop }) => stop()))
  }

  #leave(place: ThreadSession, ended: Promise<void>, turnToStop: TurnToStop): void {
    const { session } = place
    const { signal, runtime } = this.#options
    if (signal.aborted) return
    const stop = () => ended.then(() => this.#stop(place, turnToStop)).catch((error) => this.#failed(session, error))
    const cancelTimer = runtime.clock.timer(this.#graceMs, () => {
      all.delete(leaving)
      if (all.size === 0 && this.#leaving.get(session) === all) this.#leaving.delete(session)
      void stop()
    })
    const leaving: Leaving = { stop, cancelTimer }
    const all = this.#leaving.get(session) ?? new Set<Leaving>()
    this.#leaving.set(session, all.add(leaving))
  }

  #forget(session: string): readonly Leaving[] {
    const leaving = [...(this.#leaving.get(session) ?? [])]
    this.#leaving.delete(session)
    for (const { cancelTimer } of leaving) cancelTimer()
    return leaving
  }

  async #stop(place: ThreadSession, turnToStop: TurnToStop): Promise<void> {
    const { sessions, signal, store } = this.#options
    const { session, principal } = place
    if (signal.aborted || this.#open.has(session)) return
    const elsewhere = await store.list(`${openRunPrefix}${session}:`, undefined, 1)
    if (elsewhere.length > 0) return
    const turnId = await turnToStop()
    if (turnId !== undefined) await sessions.cancel(session, turnId, principal)
  }

  /** Lets other processes know of a run: at once of one that has come back, of others when they last. */
  #mark(session: string, isBack: boolean): { remove: () => Promise<void> } {
    const { store, runtime } = this.#options
    const key = `${openRunPrefix}${session}:${runtime.id('open')}`
    let written: Promise<unknown> | undefined
    const write = () => {
      written = store.bind(key, '').catch((error: unknown) => this.#failed(session, error))
    }
    const cancelTimer = isBack ? () => {} : runtime.clock.timer(this.#graceMs, write)
    if (isBack) write()
    return {
      remove: async () => {
        cancelTimer()
        await written
        if (written !== undefined) {
          await store.unbind(key).catch((error: unknown) => this.#failed(session, error))
        }
      },
    }
  }

  #failed(session: string, error: unknown): void {
    if (this.#options.signal.aborted) return
    this.#logger.log('error', 'a run that its client has left could not be stopped', { session, error })
  }
}
