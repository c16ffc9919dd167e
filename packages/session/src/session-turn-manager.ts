import {
  BeachError,
  EventRouter,
  isBeachError,
  SessionLog,
  sliceState,
  stateSlice,
  type Actor,
  type Decided,
  type Decision,
  type Envelope,
  type EventDraft,
  type Frame,
  type Inbound,
  type Originator,
  type Page,
  type PartTypeRegistry,
  type Posted,
  type Principal,
  type Runtime,
  type SessionQuery,
  type Sessions,
  type SessionState,
  type SessionSummary,
  type SessionView,
  type Slice,
  type StateMachineRegistry,
  type StateTransitionRefusal,
  type Store,
  type TurnStateRegistry,
} from '@cool-ai/beach-core'
import { decideDelivery, type LlmContextTranslator, type SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { approvalKeyOf, decideApproval } from './approvals.ts'
import { envelopeOf } from './envelope-of.ts'
import { Feeds } from './feeds.ts'
import { framesOf } from './frames.ts'
import { Host } from './host.ts'
import { sessionView } from './session-view.ts'
import { turnSlice } from './turn-slice.ts'
import type { ViewerLimits } from './viewer.ts'

export interface SessionLimits {
  /** Messages that may wait for a turn. */
  readonly mailbox?: number
  /** Sessions that this process runs turns for at the same time. */
  readonly concurrentTurns?: number
  /** What may wait for a viewer that does not read. */
  readonly viewer?: ViewerLimits
}

export interface SessionTurnManagerOptions {
  readonly store: Store
  readonly runtime: Runtime
  readonly actors: Readonly<Record<string, Actor>>
  /** The actor that begins each turn; may be left out when there is only one. */
  readonly entry?: string
  readonly stateMachines?: StateMachineRegistry
  /** Called when a setState part was refused; the turn goes on without it. */
  readonly onStateTransitionRejected?: (refusal: StateTransitionRefusal) => void
  readonly templates?: SurfaceTemplateRegistry
  readonly translator?: LlmContextTranslator
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateRegistry
  // oxlint-disable-next-line typescript/no-explicit-any -- each slice has a state type of its own.
  readonly slices?: readonly Slice<any>[]
  readonly leaseMs?: number
  /** What a message does that comes while a turn runs; it waits for the next turn when this is left out. */
  readonly whileBusy?: WhileBusy
  readonly limits?: SessionLimits
}

/** `queue`: it waits for the next turn; `interrupt`: it cancels the turn that runs; `reject`: it is refused. */
export type WhileBusy = 'queue' | 'interrupt' | 'reject'

const pageSize = 200
const turnsWithoutCursor = 20

/** Sessions on a store: takes messages in, runs their turns, and lets listeners follow. */
export class SessionTurnManager implements Sessions {
  readonly #log: SessionLog
  readonly #router: EventRouter
  readonly #host: Host
  readonly #feeds: Feeds
  readonly #options: SessionTurnManagerOptions

  constructor(options: SessionTurnManagerOptions) {
    this.#options = options
    const { store, runtime } = options
    const log = new SessionLog({ store, runtime, slices: [stateSlice, turnSlice, ...(options.slices ?? [])] })
    const router = new EventRouter({ ...options, log, admit: (state, by) => this.#admit(state, by) })
    this.#log = log
    this.#router = router
    this.#feeds = new Feeds({ store, log, runtime })
    this.#host = new Host({
      ...options,
      log,
      router,
      entry: entryOf(options),
      actorNames: Object.keys(options.actors),
      leaseMs: options.leaseMs ?? 10_000,
      ...(options.limits?.concurrentTurns !== undefined && { mostSessions: options.limits.concurrentTurns }),
    })
  }

  /** Begins to run turns, those first that an earlier process left unfinished. */
  start(): void {
    this.#host.start()
  }

  /** Stops running turns and gives the sessions back; the store stays open. */
  stop(): Promise<void> {
    return this.#host.stop()
  }

  open(options: { principal: Principal; key?: string }): Promise<string> {
    return this.#router.open(options)
  }

  post(session: string, message: Inbound, by: Principal): Promise<Posted> {
    return this.#router.receive(session, message, by)
  }

  list(query: SessionQuery, by: Principal): Promise<Page<SessionSummary>> {
    return this.#router.list(query, by)
  }

  async view(session: string, by: Principal): Promise<SessionView> {
    const record = await this.#router.find(session, by)
    return sessionView(record, this.#router.coordinates(record.state))
  }

  async envelope(session: string, turnId: string, to: Originator): Promise<Envelope | undefined> {
    const { state } = await this.#router.find(session, to.principal)
    const place = sliceState(turnSlice, state).recent.find((turn) => turn.turnId === turnId)
    const events = await this.#log.read(session, place === undefined ? 0 : place.seq - 1)
    return envelopeOf(events, { session, turnId, to }, this.#options)
  }

  async decide(approvalId: string, decision: Decision, by: Principal, session?: string): Promise<Decided> {
    const key = approvalKeyOf(approvalId)
    const [found] = await this.#options.store.list(key, undefined, 1)
    if (found?.key !== key || (session !== undefined && found.value !== session)) return 'notFound'
    if (!(await this.#isMine(found.value, by))) return 'notFound'
    const now = this.#options.runtime.clock.now()
    let decided: Decided = 'notFound'
    await this.#log.commit(
      found.value,
      (state) => {
        const outcome = decideApproval(state, approvalId, decision, by, now)
        decided = outcome.decided
        return outcome.drafts
      },
      { wakeAt: now },
    )
    return decided
  }

  async cancel(session: string, turn: string | undefined, by: Principal): Promise<boolean> {
    await this.#router.find(session, by)
    let running = false
    await this.#log.commit(
      session,
      (state) => {
        const open = sliceState(turnSlice, state).turn
        running = open !== undefined && (turn === undefined || open.turnId === turn)
        if (!running || open === undefined || open.cancelled) return []
        return [{ type: 'cancelRequested', turnId: open.turnId, payload: { by } }]
      },
      { wakeAt: this.#options.runtime.clock.now() },
    )
    return running
  }

  async *follow(
    session: string,
    to: Originator,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Frame> {
    const record = await this.#router.find(session, to.principal)
    const joined = await this.#feeds.join(session, this.#options.limits?.viewer)
    const leave = () => joined.viewer.end()
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      const start = await this.#place(session, after, record.state)
      for await (const frame of this.#history(session, start, joined.position)) {
        if (signal.aborted) return
        if (this.#reaches(frame, to)) yield frame
      }
      for (const frame of joined.open) if (this.#reaches(frame, to)) yield frame
      for await (const frames of joined.viewer.batches()) {
        for (const frame of frames) if (this.#reaches(frame, to)) yield frame
      }
    } finally {
      signal.removeEventListener('abort', leave)
      joined.leave()
    }
  }

  /** Where to begin: after the cursor if it is of this session, otherwise with the last turns. */
  async #place(session: string, after: string | undefined, state: SessionState): Promise<number> {
    const seq = after !== undefined && /^\d{1,15}$/.test(after) ? Number(after) : undefined
    if (seq !== undefined) {
      const [found] = await this.#log.read(session, seq - 1, 1)
      if (found?.seq === seq) return seq
      return 0
    }
    if (after !== undefined) return 0
    const first = sliceState(turnSlice, state).recent.at(-turnsWithoutCursor)
    return first === undefined ? 0 : first.seq - 1
  }

  async *#history(session: string, after: number, upTo: number): AsyncGenerator<Frame> {
    for (let place = after; place < upTo;) {
      const page = await this.#log.read(session, place, pageSize)
      for (const logged of page) {
        if (logged.seq > upTo) return
        yield* framesOf(logged)
        place = logged.seq
      }
      if (page.length < pageSize) return
    }
  }

  #reaches(frame: Frame, to: Originator): boolean {
    if (frame.kind === 'delta') return decideDelivery(frame.partType, to, this.#options.partTypes) === 'delta'
    if (frame.kind !== 'part') return true
    const { partType } = frame.part.metadata
    if (frame.role === 'user' && partType === 'message') return true
    const decision = decideDelivery(frame.part, to, this.#options.partTypes)
    return decision !== 'drop' && decision !== 'audit-only' && decision !== 'inbound-only'
  }

  async #isMine(session: string, by: Principal): Promise<boolean> {
    try {
      await this.#router.find(session, by)
      return true
    } catch (error) {
      if (isBeachError(error, 'NOT_FOUND')) return false
      throw error
    }
  }

  #admit(state: SessionState, by: Principal): EventDraft[] {
    const { limits, whileBusy = 'queue' } = this.#options
    const { mailbox, turn } = sliceState(turnSlice, state)
    const most = limits?.mailbox ?? 100
    if (mailbox.length >= most) {
      throw new BeachError('MAILBOX_FULL', `${most} messages already wait in this session. Wait for an answer first.`)
    }
    if (turn === undefined || turn.cancelled || whileBusy === 'queue') return []
    if (whileBusy === 'interrupt') return [{ type: 'cancelRequested', turnId: turn.turnId, payload: { by } }]
    throw new BeachError('TURN_RUNNING', 'A turn is under way. Wait until it has settled, or cancel it.')
  }
}

function entryOf({ actors, entry }: SessionTurnManagerOptions): string {
  const names = Object.keys(actors)
  const name = entry ?? (names.length === 1 ? names[0] : undefined)
  if (name !== undefined && Object.hasOwn(actors, name)) return name
  const known = names.length === 0 ? 'none is registered' : `registered are ${names.join(', ')}`
  const problem = name === undefined ? 'Which actor begins a turn? Name it in `entry`' : `There is no actor '${name}'`
  throw new BeachError('INVALID_CONFIGURATION', `${problem}: ${known}.`)
}
