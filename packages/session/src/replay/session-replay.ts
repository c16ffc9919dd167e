import { isDeepStrictEqual } from 'node:util'
import { BeachError } from '@cool-ai/beach-core'
import { sliceState, type SessionEvent, type SessionState } from '@cool-ai/beach-core/log'
import type { Lease, NotRecorded } from '@cool-ai/beach-core/ports'
import { LeasedSession, type LeasedSessionOptions } from '../host/leased-session.ts'
import { Stop } from '../host/signals.ts'
import { isWaiting, turnSlice } from '../turn/turn-slice.ts'
import { changedInputs, undecided } from './changed-inputs.ts'
import { isForeign, Recording } from './recording.ts'
import type { ReplayClock } from './replay-clock.ts'
import { ReplayPlace, settled } from './replay-place.ts'
import { ReplayStore } from './replay-store.ts'
import { replayedAgent, type ReplayedAgentOptions } from './replayed-agent.ts'

export interface SessionReplayOptions extends ReplayedAgentOptions {
  readonly session: string
  /** The whole log as it was recorded. */
  readonly events: readonly SessionEvent[]
  /** The place of the first event that is not taken over as it is: the start of a turn, or 0. */
  readonly from: number
  /** How many turns are replayed; all when left out. */
  readonly turns?: number | undefined
  /** True when other answers are to be expected: what came from outside is then used where it still applies. */
  readonly isChanged: boolean
  readonly clock: ReplayClock
  readonly signal?: AbortSignal | undefined
}

/** Runs the turns of a recorded session again: everything from outside, and all answers of tools, come from the record. */
export class SessionReplay {
  readonly place: ReplayPlace
  readonly #options: SessionReplayOptions
  readonly #store: ReplayStore
  #agent!: LeasedSessionOptions
  #leased: { readonly session: LeasedSession; readonly ended: Promise<void> } | undefined
  #isCrashing = false

  constructor(options: SessionReplayOptions) {
    const { events: recorded, from, session, runtime, isChanged, clock, signal } = options
    this.#options = options
    this.#store = new ReplayStore({ session, runtime }, (said, expected) => this.#admit(said, expected))
    const events = () => this.#store.events
    this.place = new ReplayPlace({ recorded, from, events, isChanged, clock, signal })
  }

  async run(): Promise<void> {
    const { events, from, clock, signal } = this.#options
    const letGo = () => this.place.notify()
    signal?.addEventListener('abort', letGo)
    try {
      this.#agent = await replayedAgent(this.#options, this.#store, this.place)
      await this.#store.copy(events.slice(0, from))
      clock.set(events[from]?.at ?? 0)
      if (this.place.isFree) clock.tick()
      await this.#follow()
      if (this.place.isFree) await this.#goOn()
      await this.#rest()
      signal?.throwIfAborted()
    } finally {
      signal?.removeEventListener('abort', letGo)
      this.#isCrashing = true
      this.#leased?.session.stop(new Stop('leaseLost'))
      this.place.free()
      await this.#leased?.ended
      clock.stop()
      await this.#store.close()
    }
  }

  /** Event by event as in the record, until that ends or the replay leaves it. */
  async #follow(): Promise<void> {
    const { events } = this.place.record
    let started = -1
    while (!this.place.isFree) {
      this.#options.signal?.throwIfAborted()
      const head = this.place.length
      const next = events[head]
      if (next === undefined || this.#isEnough(events, head)) return
      if (isForeign(next)) {
        if (next.type === 'cancelRequested') await this.#showCut(next.turnId)
        const end = events.findIndex(
          (event, place) => place > head && !(isForeign(event) && event.type !== 'cancelRequested'),
        )
        await this.#store.copy(events.slice(head, end === -1 ? undefined : end))
        this.#options.clock.set(next.at)
        this.place.notify()
        continue
      }
      if (next.type === 'turnStarted' || next.type === 'turnResumed') {
        this.#options.clock.set(next.at)
        if (next.type === 'turnResumed' && started !== head) await this.#crash()
        if (this.#leased === undefined) {
          if (started === head) return this.place.free()
          started = head
          this.#lease()
        }
      } else if (this.#leased === undefined) return this.place.free()
      await this.#progress(head, next)
    }
  }

  /** True when the turns that were asked for are over. */
  #isEnough(events: readonly SessionEvent[], head: number): boolean {
    const { turns, from } = this.#options
    if (turns === undefined || events[head]?.type !== 'turnStarted') return false
    return events.slice(from, head).filter(({ type }) => type === 'turnStarted').length >= turns
  }

  /** Waits until the log has grown, or it is certain that it does not. */
  async #progress(head: number, next: SessionEvent): Promise<void> {
    const leased = this.#leased
    const isOver = () => this.place.length > head || this.place.isFree || this.#leased !== leased
    await settled(isOver)
    if (isOver()) return
    this.#options.clock.set(next.at)
    await settled(isOver)
    if (isOver()) return
    if (this.place.isHanging) return this.place.free()
    await this.place.patience(isOver, () => this.place.free())
  }

  /** A cancel comes when as much has been shown as in the record. */
  async #showCut(turnId: string): Promise<void> {
    if (this.place.cutOf(turnId) === undefined) return
    const isOver = () => this.place.isShown(turnId) || this.#leased === undefined || this.place.isHanging
    await this.place.patience(isOver, () => this.place.shown(turnId))
    await settled(() => this.place.isShown(turnId))
  }

  /** Holds what a turn writes until it is its time; what the record does not have is a difference. */
  async #admit(said: readonly SessionEvent[], expected: number): Promise<void> {
    for (;;) {
      if (this.#isCrashing) throw new BeachError('LEASE_LOST', 'Another host has taken over this session.')
      // The log refuses what was decided on an earlier state, and it is decided again.
      if (this.place.isFree || expected !== this.place.length) break
      const next = this.place.record.events[expected]
      const [first] = said
      const isHeld =
        next !== undefined && (isForeign(next) || (next.type === 'turnResumed' && first?.type !== next.type))
      if (!isHeld) {
        if (!said.every((event, index) => isAlike(event, this.place.record.events[expected + index]))) this.place.free()
        break
      }
      await this.place.moved()
    }
    queueMicrotask(() => this.place.notify())
  }

  /** The process that ran the turn ends here. */
  async #crash(): Promise<void> {
    const leased = this.#leased
    if (leased === undefined) return
    await settled(() => this.#leased === undefined)
    this.#isCrashing = true
    leased.session.stop(new Stop('leaseLost'))
    this.place.notify()
    await leased.ended
    this.#isCrashing = false
  }

  #lease(): void {
    const { session } = this.#options
    const lease: Lease = { session, renew: async () => true, release: async () => {} }
    const leased = new LeasedSession(lease, this.#agent, { turnSlot: async () => () => {}, firstSlot: () => {} })
    const ended = leased.run().then(() => {
      this.#leased = undefined
      this.place.notify()
    })
    this.#leased = { session: leased, ended }
  }

  /** What came from outside from here on, where it still applies. */
  async #goOn(): Promise<void> {
    this.#options.clock.tick()
    const { from: first, turns = Infinity } = this.#options
    const from = this.place.divergedAt ?? first
    const begun = this.place.record.turnIds(first).length - this.place.record.turnIds(from).length
    const context = {
      state: () => this.#state(),
      replayed: () => new Recording(this.place.events),
      lacks: (kind: NotRecorded['kind'], name: string, args?: unknown) => this.place.lacks(kind, name, args),
    }
    for await (const inputs of changedInputs(this.place.record, from, turns - begun, context)) {
      if (inputs.length > 0) await this.#store.copy(inputs)
      this.#options.clock.set(inputs.at(-1)?.at ?? 0)
      await this.#rest()
    }
    for (const { request } of await undecided(context)) this.place.lacks('decision', request.toolName, request.args)
  }

  /** Waits until nothing runs, or what runs waits for something from outside. */
  async #rest(): Promise<void> {
    if (!this.place.isFree) {
      await settled(() => this.#leased === undefined)
      return
    }
    for (;;) {
      this.#options.signal?.throwIfAborted()
      if (this.#leased === undefined) {
        if (!hasWork(await this.#state())) return
        this.#lease()
      }
      await settled(() => this.#leased === undefined)
      if (this.#leased === undefined) continue
      if (this.place.isResting) return
      await this.place.moved()
    }
  }

  async #state(): Promise<SessionState> {
    return (await this.#agent.log.load(this.#options.session)).state
  }
}

/** True when a turn can begin or go on. */
function hasWork(state: SessionState): boolean {
  const { turn, mailbox } = sliceState(turnSlice, state)
  return turn === undefined ? mailbox.length > 0 : !isWaiting(turn)
}

const places = ['turnId', 'callId', 'partId', 'step', 'approvalId', 'manifestId', 'slot', 'deliveryId', 'kind'] as const

/** True for events of the same kind about the same thing. */
function isAlike(said: SessionEvent, recorded: SessionEvent | undefined): boolean {
  if (recorded?.type !== said.type) return false
  const [one, other] = [said, recorded] as unknown as Readonly<Record<string, unknown>>[]
  return places.every((name) => isDeepStrictEqual(one?.[name], other?.[name]))
}
