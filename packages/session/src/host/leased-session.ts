import { isBeachError, sleep, type Actor } from '@cool-ai/beach-core'
import {
  sessionSlice,
  sliceState,
  type Committed,
  type EventDraft,
  type SessionEvent,
  type SessionRecord,
  type SessionState,
} from '@cool-ai/beach-core/log'
import { atOnce, type Lease, type Telemetry } from '@cool-ai/beach-core/ports'
import { defined, elapsed, isOver } from '@cool-ai/beach-core/runtime'
import { expiryDrafts } from '../approvals/approvals.ts'
import { expiredCalls } from '../clients/answer-calls.ts'
import { clientSlice } from '../clients/client-slice.ts'
import { readOffers } from '../clients/turn-offers.ts'
import type { LiveFrame } from '../feed/live.ts'
import { stepMs } from '../stores/lease-time.ts'
import { startTurn } from '../turn/step.ts'
import { readTurn } from '../turn/turn-material.ts'
import { TurnRun, type TurnRunContext } from '../turn/turn-run.ts'
import { isInterrupted, isWaiting, retryOf, traceOf, turnSlice, type OpenTurn } from '../turn/turn-slice.ts'
import { failedAgainMs, RunningEffects } from './running-effects.ts'
import { Latch, LazyAbortController, Stop } from './signals.ts'

export interface LeasedSessionOptions extends TurnRunContext {
  readonly leaseMs: number
  /** Whether a turn that failed is tried again, and when. */
  readonly retryFailed?: RetryFailed | undefined
}

/** The room that a leased session has. */
export interface LeasedSessionSlots {
  /** Waits for room to run a turn, and returns how to release it. */
  readonly turnSlot: (signal: AbortSignal) => Promise<() => void>
  /** Releases the room that was reserved for the first turn. */
  readonly firstSlot: () => void
  /** The first turn, if it started when the lease was claimed. */
  readonly begun?: Committed | undefined
}

/** After how many milliseconds a turn that has failed is tried again; undefined ends it. */
export type RetryFailed = (failure: { readonly code: string; readonly failures: number }) => number | undefined

const maxResumes = 5
const maxHandoffs = 10
const leftToNewerMs = 2_000
const passing: ReadonlySet<string> = new Set([
  'LEASE_LOST',
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'STORE_LOST',
  'STORE_DAMAGED',
  'STORE_CLOSED',
  'CONFLICT',
])
// Made once, because capturing a stack trace is expensive.
const leaseLost = new Stop('leaseLost')
const sorry = 'Something went wrong while answering. Please try again.'

/** One session while this host has its lease: runs its turns and effects until nothing is left to do. */
export class LeasedSession {
  readonly #options: LeasedSessionOptions
  readonly #room: LeasedSessionSlots
  readonly #lease: Lease
  readonly #session: string
  readonly #stop = new LazyAbortController()
  readonly #noNewTurns = new LazyAbortController()
  readonly #changed = new Latch()
  /** Most sessions have none. */
  #effects: RunningEffects | undefined
  #turning: Promise<void> | undefined
  #begun: Committed | undefined
  #failure: { readonly error: unknown } | undefined
  #seen = 0
  #slot: (() => void) | undefined
  #run: TurnRun | undefined
  /** By the machine's time, and by the monotonic time of this process. */
  #renewedAt: { readonly time: number; readonly elapsed: number }
  #cancelRenewal = () => {}
  #isOver = false
  /** The last epoch that this host knows of: a higher one in the log is another host's. */
  #epoch = 0
  #handsOver = false
  /** True when the turn that begins is one that another host has left. */
  #takesOver = false
  #cancelled: string | undefined
  #cancel: LazyAbortController | undefined

  constructor(lease: Lease, options: LeasedSessionOptions, room: LeasedSessionSlots) {
    this.#options = options
    this.#room = room
    this.#lease = lease
    this.#session = lease.session
    this.#renewedAt = this.#now()
    this.#slot = room.firstSlot
    this.#begun = room.begun
  }

  /** Never rejects: failures are logged, and the session is tried again when its lease runs out. */
  async run(): Promise<void> {
    const { log } = this.#options
    this.#renew()
    try {
      let record = await this.#work()
      this.#giveBack()
      if (this.#effects?.isIdle === false) {
        await this.#effects.ended()
        record = await log.load(this.#session)
      }
      await this.#release(record.state)
      await log.snapshot(this.#session)
    } catch (error) {
      if (isBeachError(error, 'NEWER_VERSION')) await this.#leaveToNewer(error)
      else if (!isBeachError(error, 'LEASE_LOST')) this.#report('running a session failed', { error })
    } finally {
      this.#isOver = true
      this.#cancelRenewal()
      this.#giveBack()
      this.stop(leaseLost)
      await this.#effects?.ended()
    }
  }

  /** Another process may be able to read the session. This one may get it again, where there is no other: not at once. */
  async #leaveToNewer({ message }: Error): Promise<void> {
    this.#options.runtime.logger.log('warn', message, { session: this.#session })
    await this.#lease.release(this.#now().time + leftToNewerMs).catch(() => {})
  }

  /** Stops running work, so that the session is released. Effects get a grace period while the lease is not lost. */
  stop(reason: Stop): void {
    this.#noNewTurns.abort(reason)
    this.#stop.abort(reason)
    this.#cancel?.abort(reason)
    if (reason === leaseLost) this.#effects?.abort(reason)
    this.#changed.raise()
  }

  /** The host takes no more work: running work goes on to its end, and then the session is released. */
  drain(): void {
    this.#noNewTurns.abort(new Stop('shutdown'))
    this.#changed.raise()
  }

  /** The time to drain runs short: nothing more is started, and the turn ends here at its next clean point. */
  handOver(): void {
    this.#handsOver = true
    this.#run?.handOver()
  }

  /** Looks at the state again whenever something may have changed, until there is nothing left to do. */
  async #work(): Promise<SessionRecord> {
    const { log, runtime } = this.#options
    let record: SessionRecord = this.#begun
      ? { session: this.#session, head: this.#begun.head, state: this.#begun.state }
      : await log.load(this.#session)
    this.#epoch = sliceState(sessionSlice, record.state).epoch
    let followed = false
    while (!this.#stop.aborted) {
      const now = runtime.clock.now()
      const effects = log.effects(record.state, now)
      if (effects.length > 0) this.#effects ??= this.#newEffects()
      this.#effects?.keep(effects, !this.#handsOver)
      if (this.#turning === undefined) {
        // A turn that started with its message runs here, though the host takes no more.
        const mayBegin = this.#begun !== undefined || !this.#noNewTurns.aborted
        const { turn, mailbox } = sliceState(turnSlice, record.state)
        const hasWork = turn === undefined ? mailbox.length > 0 : !isWaiting(turn) || isDue(record.state, now)
        if (mayBegin && hasWork) this.#turning = this.#turn()
        else this.#giveBack()
      }
      if (this.#turning === undefined && this.#effects?.isIdle !== false) break
      if (!followed) void this.#follow(record.head)
      followed = true
      await this.#changed.wait(runtime.clock, log.nextWakeAt(record.state, now))
      if (this.#failure !== undefined) throw this.#failure.error
      // Events that another process has appended since come with a wake, which outlives this leased session.
      record = await log.load(this.#session, this.#seen)
    }
    await this.#turning
    return record
  }

  #newEffects(): RunningEffects {
    const { log, runtime } = this.#options
    const onEnd = () => this.#changed.raise()
    return new RunningEffects({
      log,
      runtime,
      session: this.#session,
      stop: this.#stop,
      epoch: () => this.#epoch,
      onEnd,
    })
  }

  /**
   * A clock that is set back before the store has written the wake leaves it too far ahead: then the wake is due at
   * once.
   */
  async #release(state: SessionState): Promise<void> {
    const { log, store } = this.#options
    const before = this.#now()
    const next = log.nextWakeAt(state)
    // Not at once when something has just failed.
    const isLater = next !== undefined && this.#effects?.hasFailed === true
    await this.#lease.release(isLater ? Math.max(next, before.time + failedAgainMs) : next)
    const { time, elapsed: passed } = this.#now()
    const isSetBack = time - before.time < passed - before.elapsed - stepMs
    if (isSetBack) await store.wake(this.#session, atOnce)
  }

  /** Starts or resumes the session's turn and runs it until it settles, waits, or is stopped. */
  async #turn(): Promise<void> {
    const { log } = this.#options
    try {
      this.#slot ??= await this.#room.turnSlot(this.#noNewTurns.signal)
      // It never ends before this: the caller still has to set `#turning`.
      if (!(await this.#stillMine()) || this.#stop.aborted) return
      if (this.#begun === undefined && this.#noNewTurns.aborted) return
      const begun = this.#begun ?? (await log.commit(this.#session, (now) => this.#begin(now), { epoch: this.#epoch }))
      this.#begun = undefined
      this.#epoch = sliceState(sessionSlice, begun.state).epoch
      let record: SessionRecord = { session: this.#session, head: begun.head, state: begun.state }
      let goesOn = begun.events.length > 0
      while (goesOn) {
        const { turn } = sliceState(turnSlice, record.state)
        if (turn === undefined || isWaiting(turn)) break
        const { telemetry } = this.#options.runtime
        const end = telemetry ? this.#reported(turn, record, telemetry) : this.#act(turn, record)
        goesOn = (await end) === 'passed' && !this.#handsOver
        if (goesOn) record = await log.load(this.#session)
      }
      // Not only when the session is idle: work in parallel to the turns may go on for as long as the session is used.
      await log.snapshot(this.#session)
    } catch (error) {
      this.#failure = { error }
    } finally {
      this.#turning = undefined
      this.#changed.raise()
    }
  }

  #giveBack(): void {
    this.#slot?.()
    this.#slot = undefined
  }

  /** The commit that makes this host the one that runs the turn. */
  #begin(state: SessionState): EventDraft[] {
    const { turn, mailbox } = sliceState(turnSlice, state)
    if (turn === undefined) return startTurn(state, mailbox, this.#options)
    const { runtime, store } = this.#options
    const { process } = store
    const now = runtime.clock.now()
    if (isWaiting(turn) && !isDue(state, now)) return []
    this.#takesOver = isInterrupted(turn)
    const epoch = sliceState(sessionSlice, state).epoch + 1
    return [
      ...overdueDrafts(state, now),
      defined({ type: 'turnResumed', turnId: turn.turnId, attempt: turn.attempt + 1, epoch, process }),
    ]
  }

  /** The same as `#act`, with a report on it. */
  #reported(turn: OpenTurn, record: SessionRecord, telemetry: Telemetry): Promise<TurnRun['end']> {
    const place = { session: this.#session, turn: turn.turnId, actor: turn.actor, trace: traceOf(turn) }
    return telemetry.run({ kind: 'turn', ...place, takesOver: this.#takesOver }, async ({ found }) => {
      this.#takesOver = false
      const end = await this.#act(turn, record)
      // What it has settled as is in the log.
      if (end !== 'settled') found({ outcome: end ?? 'stopped' })
      return end
    })
  }

  /** Lets the turn's actor run, and settles the turn when the actor does not do it itself. */
  async #act(turn: OpenTurn, record: SessionRecord): Promise<TurnRun['end']> {
    const { log, actors } = this.#options
    const material = await readTurn(log, this.#session, turn, record.head)
    const clients = sliceState(clientSlice, record.state)
    const hasOffers = turn.originators.some((id) => Object.hasOwn(clients, id))
    const offers = hasOffers ? await readOffers(log, record, turn) : undefined
    // Work that the previous actor left running ends with it.
    this.#cancel?.abort(leaseLost)
    const cancel = new LazyAbortController()
    // The epoch of this host, not of a later writer to the log: a host that was replaced must notice.
    const run = new TurnRun(this.#options, { record, epoch: this.#epoch, turn, material, offers }, cancel)
    this.#run = run
    this.#cancel = cancel
    if (this.#handsOver) run.handOver()
    // A cancel may have come while the turn was being read.
    if (this.#cancelled === turn.turnId) cancel.abort(new Stop('cancelled'))
    if (this.#stop.aborted) cancel.abort(this.#stop.reason)
    try {
      const actor = Object.hasOwn(actors, turn.actor) ? actors[turn.actor] : undefined
      const isNew = turn.attempt + turn.failures + turn.handoffs + turn.steps.length === 0
      const spent = isNew && this.#options.admission !== undefined ? run.begin() : undefined
      if (turn.cancelled) await run.cancel()
      else if (spent !== undefined) await run.fail(spent, 'BUDGET')
      else if (turn.attempt > maxResumes) await this.#fail(run, 'TURN_STUCK', 'a turn made no progress')
      else if (turn.handoffs > maxHandoffs) await this.#fail(run, 'TURN_STUCK', 'a turn was passed on without end')
      else if (actor === undefined)
        await this.#fail(run, 'UNKNOWN_ACTOR', 'a turn names an actor that is not registered')
      else await this.#runActor(actor, run, cancel)
    } finally {
      run.close()
      this.#run = undefined
    }
    return run.end
  }

  #fail(run: TurnRun, code: string, message: string): Promise<void> {
    this.#report(message, { turn: run.turnId, trace: run.traceId, actor: run.actor })
    return run.fail(sorry, code)
  }

  async #runActor(actor: Actor, run: TurnRun, cancel: LazyAbortController): Promise<void> {
    try {
      const passedOn = run.passOn()
      await cancel.or(passedOn === undefined ? actor.run(run) : passedOn.then(() => actor.run(run)))
    } catch (error) {
      // An error that an actor throws because it was stopped tells nothing: the reason of the stop does.
      return this.#ended(run, cancel.aborted ? cancel.reason : error)
    }
    if (run.end === undefined) await this.#fail(run, 'ACTOR_UNSETTLED', 'an actor returned without settling its turn')
  }

  /** Settles a turn whose actor threw; one that was stopped because this host is going away is left for the next. */
  async #ended(run: TurnRun, error: unknown): Promise<void> {
    if (run.end !== undefined) return
    if (error instanceof Stop) return error.reason === 'cancelled' ? run.cancel().catch(ignoreClosed) : undefined
    // The turn is tried again when the lease has run out.
    if (isBeachError(error) && passing.has(error.code)) throw error
    // A cancel reached the log before it reached this run.
    if (isBeachError(error, 'TURN_CLOSED')) return run.cancel().catch(ignoreClosed)
    this.#report('an actor failed', { turn: run.turnId, trace: run.traceId, error })
    const code = isBeachError(error) ? error.code : 'ACTOR_FAILED'
    return run.fail(sorry, code, this.#options.retryFailed).catch((failure: unknown) => cancelClosed(run, failure))
  }

  /** Watches the log: a cancel aborts the turn, new events are looked at, and a feed that lacks text gets it again. */
  async #follow(after: number): Promise<void> {
    const { store, runtime } = this.#options
    let place = after
    while (!this.#stop.aborted) {
      let letGo = () => {}
      try {
        // The host has no use for the text that it streams itself.
        const followed = store.tail(this.#session, place, undefined, (live) => (live as LiveFrame).kind === 'ask')
        const tail = followed[Symbol.asyncIterator]()
        letGo = this.#stop.onAbort(() => void tail.return?.())
        for await (const items of { [Symbol.asyncIterator]: () => tail }) {
          for (const item of items) {
            if ('live' in item) {
              if ((item.live as LiveFrame).kind === 'ask') this.#run?.repeat()
              continue
            }
            place = item.seq
            this.#seen = item.seq
            this.#changed.raise()
            this.#run?.turnManifests?.look()
            const event = item.data as SessionEvent
            if (event.type === 'cancelRequested') this.#cancelTurn(event.turnId)
          }
        }
      } catch (error) {
        if (this.#stop.aborted) return
        this.#report('following a session failed', { error })
        await sleep(runtime.clock, 500, this.#stop.signal)
      } finally {
        letGo()
      }
    }
  }

  #cancelTurn(turnId: string): void {
    this.#cancelled = turnId
    if (turnId === this.#run?.turnId) this.#cancel?.abort(new Stop('cancelled'))
  }

  #now() {
    const { clock } = this.#options.runtime
    return { time: clock.now(), elapsed: elapsed(clock) }
  }

  /** A process that slept through its renewals must not reclaim a session that another has taken over. */
  async #stillMine(): Promise<boolean> {
    const { time, elapsed: passed } = this.#now()
    // Neither is trusted alone: one stands still while the machine sleeps, the other can be set back.
    const since = Math.max(time - this.#renewedAt.time, passed - this.#renewedAt.elapsed)
    if (since < this.#options.leaseMs || (await this.#lease.renew())) return true
    this.stop(leaseLost)
    return false
  }

  /** Renews the lease by a timer of its own; a lease that is lost stops everything. */
  #renew(): void {
    const { runtime, leaseMs } = this.#options
    this.#renewedAt = this.#now()
    this.#cancelRenewal = runtime.clock.timer(leaseMs * 0.3, () => {
      const renewed = this.#lease.renew().catch(() => false)
      void renewed.then((isHeld) => {
        if (this.#isOver) return
        if (isHeld) this.#renew()
        else this.stop(leaseLost)
      })
    })
  }

  #report(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#options.runtime.logger.log('error', message, { session: this.#session, ...fields })
  }
}

/** What time has ended: approvals are denied, and calls of clients have failed. */
function overdueDrafts(state: SessionState, now: number): EventDraft[] {
  return [...expiryDrafts(state, now), ...expiredCalls(state, now)]
}

/** True when a waiting turn is due. */
function isDue(state: SessionState, now: number): boolean {
  const { turn } = sliceState(turnSlice, state)
  const retry = turn && retryOf(turn)
  return (retry !== undefined && isOver(retry, now)) || overdueDrafts(state, now).length > 0
}

/** A turn that was cancelled while its failure was being written is cancelled, and does not fail. */
async function cancelClosed(run: TurnRun, error: unknown): Promise<void> {
  if (!isBeachError(error, 'TURN_CLOSED')) throw error
  await run.cancel().catch(ignoreClosed)
}

function ignoreClosed(error: unknown): void {
  if (!isBeachError(error, 'TURN_CLOSED')) throw error
}
