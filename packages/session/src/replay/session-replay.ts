import { isDeepStrictEqual } from 'node:util'
import { BeachError, systemClock, type Actor, type Runtime, type Slice } from '@cool-ai/beach-core'
import {
  EventRouter,
  SessionLog,
  sliceState,
  stateSlice,
  type SessionEvent,
  type SessionState,
} from '@cool-ai/beach-core/log'
import type { CutText, Lease, NotRecorded, RecordedCommit, SessionPeers, ToolRun } from '@cool-ai/beach-core/ports'
import { contentHash, raceAbort, yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { allowanceSlice } from '../approvals/allowance-slice.ts'
import { followUpSlice } from '../approvals/follow-up-slice.ts'
import { clientSlice } from '../clients/client-slice.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { deliveryDrafts, type PushChannel } from '../delivery/queue-deliveries.ts'
import { LeasedSession, type LeasedSessionOptions } from '../host/leased-session.ts'
import { entryOf, type SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import { Stop } from '../host/signals.ts'
import { manifestSlice } from '../manifests/manifest-slice.ts'
import { surfaceSlice } from '../surfaces/surface-slice.ts'
import { defaultLimits } from '../turn/admission.ts'
import { isWaiting, turnSlice } from '../turn/turn-slice.ts'
import { changedInputs, undecided } from './changed-inputs.ts'
import { isForeign, Recording, type RecordedCall, type RecordedRequest } from './recording.ts'
import type { ReplayClock } from './replay-clock.ts'
import { ReplayStore } from './replay-store.ts'
import { ReplayedTurn } from './replayed-turn.ts'
import { answerFromRecord, callIdOf } from './tool-player.ts'

type TurnOptions = Pick<
  SessionTurnManagerOptions,
  | 'entry'
  | 'stateMachines'
  | 'templates'
  | 'partTypes'
  | 'turnStates'
  | 'slices'
  | 'limits'
  | 'retryFailed'
  | 'llmContextLanguage'
>

export interface SessionReplayOptions extends TurnOptions {
  readonly session: string
  /** The whole log as it was recorded. */
  readonly events: readonly SessionEvent[]
  /** The place of the first event that is not taken over as it is: the start of a turn, or 0. */
  readonly from: number
  /** How many turns are replayed; all when left out. */
  readonly turns?: number | undefined
  /** True when other answers are to be expected: what came from outside is then used where it still applies. */
  readonly isChanged: boolean
  readonly runtime: Runtime
  readonly clock: ReplayClock
  readonly peers?: Pick<SessionPeers, 'scopesOf'> | undefined
  readonly actors: (replay: SessionReplay) => Promise<Readonly<Record<string, Actor>>>
  readonly signal?: AbortSignal | undefined
}

/** How long the agent's own code may do something else than what the record has, before the replay goes on without it. */
const idleMs = 10_000
const settleRounds = 12

/** Runs the turns of a recorded session again: everything from outside, and all answers of tools, come from the record. */
export class SessionReplay {
  readonly record: Recording
  readonly notRecorded: NotRecorded[] = []
  readonly #options: SessionReplayOptions
  readonly #store: ReplayStore
  readonly #turnIds: string[]
  readonly #shown = new Set<string>()
  readonly #waiters = new Set<() => void>()
  #log!: SessionLog
  #context!: LeasedSessionOptions
  #leased: { readonly session: LeasedSession; readonly ended: Promise<void> } | undefined
  #isFree: boolean
  #divergedAt: number | undefined
  #hanging = 0
  #resting = 0
  #isCrashing = false

  constructor(options: SessionReplayOptions) {
    const { events, from, session, runtime, isChanged } = options
    this.#options = options
    this.record = new Recording(events)
    this.#turnIds = this.record.turnIds(from)
    this.#isFree = isChanged
    this.#store = new ReplayStore({ session, runtime }, (said, expected) => this.#admit(said, expected))
  }

  /** The log of the replay. */
  get events(): readonly SessionEvent[] {
    return this.#store.events
  }

  get length(): number {
    return this.events.length
  }

  /** True once the replay no longer follows the record event by event. */
  get isFree(): boolean {
    return this.#isFree
  }

  /** Where it left the record; undefined while it follows it. */
  get divergedAt(): number | undefined {
    return this.#divergedAt
  }

  /** The id of the next turn, as it is on record. */
  nextTurnId(): string | undefined {
    return this.#turnIds.shift()
  }

  async run(): Promise<void> {
    const { events, from, clock, signal } = this.#options
    const letGo = () => this.#notify()
    signal?.addEventListener('abort', letGo)
    try {
      await this.#open()
      await this.#store.copy(events.slice(0, from))
      clock.set(events[from]?.at ?? 0)
      if (this.#isFree) clock.tick()
      await this.#follow()
      if (this.#isFree) await this.#goOn()
      await this.#rest()
      signal?.throwIfAborted()
    } finally {
      signal?.removeEventListener('abort', letGo)
      this.#isCrashing = true
      this.#leased?.session.stop(new Stop('leaseLost'))
      this.#free()
      await this.#leased?.ended
      clock.stop()
      await this.#store.close()
    }
  }

  // What turns and tools ask.

  /** Resolves when everything from outside that comes next in the record is in the log. */
  async clear(signal: AbortSignal): Promise<void> {
    for (;;) {
      const next = this.record.events[this.length]
      if (this.#isFree || next === undefined || !(isForeign(next) || next.type === 'turnResumed')) return
      // The text that a cancel cuts off is shown before it.
      if (next.type === 'cancelRequested' && this.cutOf(next.turnId) !== undefined) return
      await this.moved(signal)
    }
  }

  /** Resolves when the log has got to a place of the record. */
  async reach(place: number, signal: AbortSignal): Promise<void> {
    while (!this.#isFree && this.length < place) await this.moved(signal)
  }

  /** Resolves when something has happened. */
  async moved(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const moved = new Promise<void>((resolve) => this.#waiters.add(resolve))
    await (signal === undefined ? moved : raceAbort(moved, signal))
  }

  /** Waits as long as the record does, where the record has no answer; fails once that cannot come any more. */
  async hang(signal: AbortSignal, kind: NotRecorded['kind'], name: string, args?: unknown): Promise<never> {
    this.#hanging++
    this.#notify()
    try {
      while (!this.#isFree) await this.moved(signal)
    } finally {
      this.#hanging--
    }
    throw this.lacks(kind, name, args)
  }

  /** Something waits for results of work in parallel. */
  async resting<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#resting++
    this.#notify()
    try {
      return await wait()
    } finally {
      this.#resting--
    }
  }

  /** The record does not have this. */
  lacks(kind: NotRecorded['kind'], name: string, args?: unknown): BeachError {
    const turnId = this.#openTurn()?.turnId ?? ''
    this.notRecorded.push(args === undefined ? { turnId, kind, name } : { turnId, kind, name, args })
    this.#free()
    return new BeachError('NOT_RECORDED', `Not recorded: ${sentenceOf(kind, name)}`)
  }

  callLike(callId: string, hash: string): RecordedCall | undefined {
    const same = this.record.call(callId)
    if (!this.#isFree) return same
    if (same?.started.hash === hash && same.finished !== undefined) return same
    const alike = this.record.callsLike(hash)
    return alike.find(({ started }) => started.turnId === callId.split('.tool')[0]) ?? alike.at(-1)
  }

  requestLike(turnId: string, toolName: string, args: unknown): RecordedRequest | undefined {
    const asked = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { value: args }
    const hash = contentHash(asked)
    const alike = this.record.requests.filter(({ request }) => {
      return request.toolName === toolName && contentHash(request.args) === hash
    })
    return alike.find((one) => one.turnId === turnId) ?? alike.at(-1)
  }

  /** What actors of the turn say from here on, in the record. */
  answers(turnId: string): { readonly commits: readonly RecordedCommit[]; readonly cut: readonly CutText[] } {
    return this.record.commits(turnId, this.#steps(turnId))
  }

  /** How many results a model had seen by its next step. */
  seenBy(turnId: string): number | undefined {
    if (this.#isFree) return undefined
    const [next] = this.answers(turnId).commits
    const { seen } = (next?.answer ?? {}) as { readonly seen?: unknown }
    return typeof seen === 'number' ? seen : undefined
  }

  /** The text of the turn's open step where a cancel cuts it off. */
  cutOf(turnId: string): readonly CutText[] | undefined {
    if (this.#isFree) return undefined
    const { commits, cut } = this.answers(turnId)
    return commits.length === 0 && cut.length > 0 ? cut : undefined
  }

  /** All of the text that a cancel cuts off has been shown. */
  shown(turnId: string): void {
    this.#shown.add(turnId)
    this.#notify()
  }

  // The replay itself.

  async #open(): Promise<void> {
    const { runtime, partTypes, turnStates, templates, stateMachines, slices = [], limits, retryFailed } = this.#options
    const actors = await this.#options.actors(this)
    const played = Object.entries(actors).map(([name, actor]): [string, Actor] => {
      return [name, { ...actor, run: (turn) => actor.run(new ReplayedTurn(turn, this)) }]
    })
    // Nothing runs in parallel to the turns: what came of it is in the record.
    const all = [
      stateSlice,
      turnSlice,
      clientSlice,
      surfaceSlice,
      allowanceSlice,
      manifestSlice,
      deliverySlice,
      followUpSlice,
    ]
    const log = new SessionLog({
      store: this.#store,
      runtime,
      slices: [...all, ...slices].map(withoutEffects),
    })
    const { scopesOf } = this.#options.peers ?? {}
    const peers: SessionPeers = {
      scopesOf: (peer) => scopesOf?.(peer),
      // It is run as a tool of the turn.
      forward: (_, run) => answerFromRecord(run as unknown as ToolRun, this.#runningCall(run.key), this),
    }
    const rules = { partTypes, turnStates, channels: this.#channels() }
    this.#log = log
    this.#context = {
      store: this.#store,
      log,
      router: new EventRouter({ store: this.#store, runtime, log, stateMachines, peers }),
      runtime,
      partTypes,
      turnStates,
      templates,
      actors: Object.fromEntries(played),
      entry: entryOf({ actors, entry: this.#options.entry }),
      followUp: rules.channels.size === 0 ? undefined : (state, drafts) => deliveryDrafts(state, drafts, rules),
      maxPartBytes: limits?.eventBytes ?? defaultLimits.eventBytes,
      peers,
      translator: {
        language: undefined,
        translate: async ({ turnId, language }) => this.#translation(turnId, language),
      },
      llmContextLanguage: this.#options.llmContextLanguage,
      leaseMs: Number.MAX_SAFE_INTEGER,
      retryFailed,
    }
  }

  /** What was said to peers' models in the step that the turn is at. */
  #translation(turnId: string, language: string | undefined): string | undefined {
    const [commit] = this.answers(turnId).commits
    return commit?.parts.find(({ metadata }) => metadata.partType === 'llm-context' && metadata.language === language)
      ?.text
  }

  /** Deliveries are decided as by the agent's channels, and never sent. */
  #channels(): ReadonlyMap<string, PushChannel> {
    const channel: PushChannel = {
      reaches: ({ id }) => this.record.isReached(this.#openTurn()?.turnId ?? '', id),
      send: async () => {
        throw new BeachError('INTERNAL', 'A replay was to send something.')
      },
    }
    return new Map([...this.record.transports].map((transport) => [transport, channel]))
  }

  /** Event by event as in the record, until that ends or the replay leaves it. */
  async #follow(): Promise<void> {
    const { events } = this.record
    let started = -1
    while (!this.#isFree) {
      this.#options.signal?.throwIfAborted()
      const head = this.length
      const next = events[head]
      if (next === undefined || this.#isEnough(events, head)) return
      if (isForeign(next)) {
        if (next.type === 'cancelRequested') await this.#showCut(next.turnId)
        const end = events.findIndex(
          (event, place) => place > head && !(isForeign(event) && event.type !== 'cancelRequested'),
        )
        await this.#store.copy(events.slice(head, end === -1 ? undefined : end))
        this.#options.clock.set(next.at)
        this.#notify()
        continue
      }
      if (next.type === 'turnStarted' || next.type === 'turnResumed') {
        this.#options.clock.set(next.at)
        if (next.type === 'turnResumed' && started !== head) await this.#crash()
        if (this.#leased === undefined) {
          if (started === head) return this.#free()
          started = head
          this.#lease()
        }
      } else if (this.#leased === undefined) return this.#free()
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
    const isOver = () => this.length > head || this.#isFree || this.#leased !== leased
    await settled(isOver)
    if (isOver()) return
    this.#options.clock.set(next.at)
    await settled(isOver)
    if (isOver()) return
    if (this.#hanging > 0) return this.#free()
    await this.#patience(isOver, () => this.#free())
  }

  /** A cancel comes when as much has been shown as in the record. */
  async #showCut(turnId: string): Promise<void> {
    if (this.cutOf(turnId) === undefined) return
    const isOver = () => this.#shown.has(turnId) || this.#leased === undefined || this.#hanging > 0
    await this.#patience(isOver, () => this.#shown.add(turnId))
    await settled(() => this.#shown.has(turnId))
  }

  /** Waits for something that the agent's own code does; it does not wait for ever. */
  async #patience(isOver: () => boolean, giveUp: () => void): Promise<void> {
    const { signal } = this.#options
    const cancel = systemClock.timer(idleMs, () => {
      giveUp()
      this.#notify()
    })
    try {
      while (!isOver()) {
        signal?.throwIfAborted()
        await this.moved()
      }
    } finally {
      cancel()
    }
  }

  /** Holds what a turn writes until it is its time; what the record does not have is a difference. */
  async #admit(said: readonly SessionEvent[], expected: number): Promise<void> {
    for (;;) {
      if (this.#isCrashing) throw new BeachError('LEASE_LOST', 'Another host has taken over this session.')
      // The log refuses what was decided on an earlier state, and it is decided again.
      if (this.#isFree || expected !== this.length) break
      const next = this.record.events[expected]
      const [first] = said
      const isHeld =
        next !== undefined && (isForeign(next) || (next.type === 'turnResumed' && first?.type !== next.type))
      if (!isHeld) {
        if (!said.every((event, index) => isAlike(event, this.record.events[expected + index]))) this.#free()
        break
      }
      await this.moved()
    }
    queueMicrotask(() => this.#notify())
  }

  /** The process that ran the turn ends here. */
  async #crash(): Promise<void> {
    const leased = this.#leased
    if (leased === undefined) return
    await settled(() => this.#leased === undefined)
    this.#isCrashing = true
    leased.session.stop(new Stop('leaseLost'))
    this.#notify()
    await leased.ended
    this.#isCrashing = false
  }

  #lease(): void {
    const { session } = this.#options
    const lease: Lease = { session, renew: async () => true, release: async () => {} }
    const leased = new LeasedSession(lease, this.#context, { turnSlot: async () => () => {}, firstSlot: () => {} })
    const ended = leased.run().then(() => {
      this.#leased = undefined
      this.#notify()
    })
    this.#leased = { session: leased, ended }
  }

  /** What came from outside from here on, where it still applies. */
  async #goOn(): Promise<void> {
    this.#options.clock.tick()
    const { from: first, turns = Infinity } = this.#options
    const from = this.#divergedAt ?? first
    const begun = this.record.turnIds(first).length - this.record.turnIds(from).length
    const context = {
      state: () => this.#state(),
      requests: () => new Recording(this.events).requests,
      lacks: (kind: NotRecorded['kind'], name: string, args?: unknown) => void this.lacks(kind, name, args),
    }
    for await (const inputs of changedInputs(this.record, from, turns - begun, context)) {
      if (inputs.length > 0) await this.#store.copy(inputs)
      this.#options.clock.set(inputs.at(-1)?.at ?? 0)
      await this.#rest()
    }
    for (const { request } of await undecided(context)) this.lacks('decision', request.toolName, request.args)
  }

  /** Waits until nothing runs, or what runs waits for something from outside. */
  async #rest(): Promise<void> {
    if (!this.#isFree) {
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
      if (this.#resting > 0) return
      await this.moved()
    }
  }

  async #state(): Promise<SessionState> {
    return (await this.#log.load(this.#options.session)).state
  }

  /** From here on the replay goes its own way. */
  #free(): void {
    if (!this.#isFree) this.#divergedAt = this.length
    this.#isFree = true
    this.#options.clock.tick()
    this.#notify()
  }

  /** A call that has begun, as it is in the log of the replay. */
  #runningCall(key: string): { readonly name: string; readonly args: unknown } {
    const callId = callIdOf(key)
    const started = this.events.findLast((event) => event.type === 'toolStarted' && event.callId === callId)
    return started?.type === 'toolStarted'
      ? { name: started.name, args: started.payload?.args }
      : { name: '', args: {} }
  }

  #notify(): void {
    const waiting = [...this.#waiters]
    this.#waiters.clear()
    for (const resume of waiting) resume()
  }

  #openTurn(): Extract<SessionEvent, { type: 'turnStarted' }> | undefined {
    return this.events.findLast((event) => event.type === 'turnStarted')
  }

  #steps(turnId: string): number {
    return this.events.filter((event) => event.type === 'stepCommitted' && event.turnId === turnId).length
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- each slice has a state type of its own.
function withoutEffects(slice: Slice<any>): Slice<any> {
  const left = { ...slice }
  delete left.effects
  return left
}

/** True when a turn can begin or go on. */
function hasWork(state: SessionState): boolean {
  const { turn, mailbox } = sliceState(turnSlice, state)
  return turn === undefined ? mailbox.length > 0 : !isWaiting(turn)
}

/** Gives everything that can go on without the outside the time to do so. */
async function settled(isDone: () => boolean): Promise<void> {
  for (let round = 0; round < settleRounds && !isDone(); round++) await yieldToEventLoop()
}

const places = ['turnId', 'callId', 'partId', 'step', 'approvalId', 'manifestId', 'slot', 'deliveryId', 'kind'] as const

/** True for events of the same kind about the same thing. */
function isAlike(said: SessionEvent, recorded: SessionEvent | undefined): boolean {
  if (recorded?.type !== said.type) return false
  const [one, other] = [said, recorded] as unknown as Readonly<Record<string, unknown>>[]
  return places.every((name) => isDeepStrictEqual(one?.[name], other?.[name]))
}

function sentenceOf(kind: NotRecorded['kind'], name: string): string {
  switch (kind) {
    case 'tool':
      return `the session has no call of '${name}' with these arguments.`
    case 'model':
      return 'the session has no further answer of the model here.'
    case 'work':
      return `the session has no result of the work '${name}' with these arguments.`
    case 'decision':
      return `there is no decision on '${name}' with these arguments.`
  }
}
