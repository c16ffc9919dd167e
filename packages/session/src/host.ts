import {
  isBeachError,
  sessionSlice,
  sleep,
  sliceState,
  type Actor,
  type EventDraft,
  type Lease,
  type SessionRecord,
  type Store,
} from '@cool-ai/beach-core'
import { sessionView } from './session-view.ts'
import type { LiveFrame } from './live.ts'
import { readTurn } from './turn-material.ts'
import { TurnRun, type TurnWorld } from './turn-run.ts'
import { turnSlice, type OpenTurn } from './turn-slice.ts'

export interface HostOptions extends TurnWorld {
  readonly actors: Readonly<Record<string, Actor>>
  /** The actor that begins each turn. */
  readonly entry: string
  readonly leaseMs?: number
  readonly mostSessions?: number
}

const mostResumes = 5
const sorry = 'Something went wrong while answering. Please try again.'

/** Why a run was stopped from outside. */
class Stop extends Error {
  readonly reason: 'cancelled' | 'leaseLost' | 'shutdown'

  constructor(reason: Stop['reason']) {
    super(`The turn was stopped: ${reason}.`)
    this.reason = reason
  }
}

/** Holds leases and is the only one that runs anything for the sessions it holds. */
export class Host {
  readonly #options: HostOptions
  readonly #store: Store
  readonly #leaseMs: number
  readonly #mostSessions: number
  readonly #stopping = new AbortController()
  readonly #held = new Set<Promise<void>>()
  #loop: Promise<void> = Promise.resolve()

  constructor(options: HostOptions) {
    this.#options = options
    this.#store = options.store
    this.#leaseMs = options.leaseMs ?? 10_000
    this.#mostSessions = options.mostSessions ?? 200
  }

  start(): void {
    this.#loop = this.#claimLoop()
  }

  /** Stops what runs and gives every session back, so that another host can go on at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Stop('shutdown'))
    await this.#loop
    await Promise.all(this.#held)
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        while (this.#held.size >= this.#mostSessions) await Promise.race(this.#held)
        const lease = await this.#store.claim(this.#leaseMs, signal)
        if (lease === undefined) return
        const holding: Promise<void> = this.#hold(lease).finally(() => this.#held.delete(holding))
        this.#held.add(holding)
      } catch (error) {
        this.#log('error', 'claiming a session failed', { error })
        await sleep(this.#options.runtime.clock, 1_000, signal)
      }
    }
  }

  /** Runs one session until nothing is left to do for it. Never rejects. */
  async #hold(lease: Lease): Promise<void> {
    const { session } = lease
    const stop = new AbortController()
    const shutdown = () => stop.abort(this.#stopping.signal.reason)
    this.#stopping.signal.addEventListener('abort', shutdown, { once: true })
    if (this.#stopping.signal.aborted) shutdown()
    const endRenewal = this.#renew(lease, stop)
    try {
      let record = await this.#options.log.load(session)
      while (!stop.signal.aborted && hasWork(record)) {
        await this.#turn(record, stop)
        record = await this.#options.log.load(session)
      }
      await lease.release(this.#options.log.nextWakeAt(record.state))
      await this.#options.log.snapshot(session)
    } catch (error) {
      if (!isBeachError(error, 'LEASE_LOST')) {
        // The lease is kept, so that the session is tried again when it runs out and not at once, in a tight loop.
        this.#log('error', 'running a session failed', { session, error })
      }
    } finally {
      endRenewal()
      this.#stopping.signal.removeEventListener('abort', shutdown)
    }
  }

  /** Starts or resumes the session's turn and runs it to its end, or until it is stopped. */
  async #turn(record: SessionRecord, stop: AbortController): Promise<void> {
    const { log } = this.#options
    const { session } = record
    const begun = await log.commit(session, (state) => this.#begin(state))
    const { turn } = sliceState(turnSlice, begun.state)
    if (turn === undefined) return
    const view = sessionView({ session, head: begun.head, state: begun.state })
    const cancel = new AbortController()
    const signal = AbortSignal.any([stop.signal, cancel.signal])
    const run = new TurnRun(this.#options, view, turn, await readTurn(log, session, turn), signal)
    const following = new AbortController()
    void this.#follow(session, begun.head, run, cancel, following.signal)
    try {
      await this.#act(turn, run, signal)
    } finally {
      run.close()
      following.abort()
    }
  }

  /** The commit that makes this host the one that runs the turn. */
  #begin(state: SessionRecord['state']): EventDraft[] {
    const { turn, mailbox } = sliceState(turnSlice, state)
    const epoch = sliceState(sessionSlice, state).epoch + 1
    if (turn !== undefined) return [{ type: 'turnResumed', turnId: turn.turnId, attempt: turn.attempt + 1, epoch }]
    if (mailbox.length === 0) return []
    const turnId = this.#options.runtime.id('turn')
    const messageIds = mailbox.map((entry) => entry.messageId)
    return [{ type: 'turnStarted', turnId, actor: this.#options.entry, messageIds, epoch }]
  }

  async #act(turn: OpenTurn, run: TurnRun, signal: AbortSignal): Promise<void> {
    if (turn.cancelled) return run.cancel()
    if (turn.attempt > mostResumes) {
      this.#log('error', 'a turn made no progress', { turn: turn.turnId, attempts: turn.attempt })
      return run.fail(sorry, 'error', { code: 'TURN_STUCK' })
    }
    const actor = this.#options.actors[turn.actor]
    if (actor === undefined) {
      this.#log('error', 'a turn names an actor that is not registered', { actor: turn.actor })
      return run.fail(sorry, 'error', { code: 'UNKNOWN_ACTOR' })
    }
    try {
      await Promise.race([actor.run(run), aborted(signal)])
    } catch (error) {
      return this.#ended(run, error)
    }
    if (run.settled) return
    this.#log('error', 'an actor returned without settling its turn', { actor: turn.actor, turn: turn.turnId })
    return run.fail(sorry, 'error', { code: 'ACTOR_UNSETTLED' })
  }

  /** Settles a turn whose actor threw; one that was stopped because this host is going away is left for the next. */
  async #ended(run: TurnRun, error: unknown): Promise<void> {
    if (error instanceof Stop) return error.reason === 'cancelled' ? run.cancel() : undefined
    if (isBeachError(error, 'LEASE_LOST')) throw error
    if (run.settled) return
    // The store lost the turn under us, or a cancel reached the log before it reached this run.
    if (isBeachError(error, 'TURN_CLOSED')) return run.cancel().catch(ignoreClosed)
    if (isBeachError(error, 'STORE_CLOSED') || isBeachError(error, 'STORE_UNAVAILABLE')) throw error
    this.#log('error', 'an actor failed', { turn: run.turnId, error })
    const code = isBeachError(error) ? error.code : 'ACTOR_FAILED'
    return run.fail(sorry, 'error', { code })
  }

  /** Watches the log while the turn runs: a cancel aborts it, and a feed that lacks text is given it again. */
  async #follow(session: string, after: number, run: TurnRun, cancel: AbortController, signal: AbortSignal) {
    try {
      for await (const item of this.#store.tail(session, after, signal)) {
        if ('live' in item) {
          if ((item.live as LiveFrame).kind === 'ask') run.repeat()
        } else {
          const event = item.data as { type: string; turnId?: string }
          if (event.type === 'cancelRequested' && event.turnId === run.turnId) cancel.abort(new Stop('cancelled'))
        }
      }
    } catch (error) {
      this.#log('error', 'following a session failed', { session, error })
    }
  }

  #renew(lease: Lease, stop: AbortController): () => void {
    const { clock } = this.#options.runtime
    let ended = false
    let cancel = () => {}
    const lost = () => {
      if (!ended) stop.abort(new Stop('leaseLost'))
    }
    const again = () => {
      if (ended) return
      cancel = clock.timer(this.#leaseMs * 0.3, () => {
        lease.renew().then((held) => (held ? again() : lost()), lost)
      })
    }
    again()
    return () => {
      ended = true
      cancel()
    }
  }

  #log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void {
    this.#options.runtime.logger.log(level, message, fields)
  }
}

function hasWork(record: SessionRecord): boolean {
  const { turn, mailbox } = sliceState(turnSlice, record.state)
  return turn !== undefined || mailbox.length > 0
}

/** Rejects with the signal's reason when it aborts: an actor that ignores the signal is not waited for. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

function ignoreClosed(error: unknown): void {
  if (!isBeachError(error, 'TURN_CLOSED')) throw error
}
