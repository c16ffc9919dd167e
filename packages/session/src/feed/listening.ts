import {
  BeachError,
  type DeliveryDecision,
  type Frame,
  type Originator,
  type PartTypeRegistry,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import {
  sliceState,
  type EventRouter,
  type SessionLog,
  type SessionRecord,
  type SessionState,
} from '@cool-ai/beach-core/log'
import { frameBatch, type FrameBatch, type FramePosition, type FrameSink, type Watch } from '@cool-ai/beach-core/ports'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { decideDelivery } from '@cool-ai/beach-protocol'
import type { SessionLimits } from '../turn/admission.ts'
import { Feeds } from './feeds.ts'
import { followed } from './followed.ts'
import { FrameSelection } from './frame-selection.ts'
import { framesOf } from './frames.ts'
import { LogReading, type LogPage, type LogReadingContext } from './log-reading.ts'
import { FlatIterator } from './flat-iterator.ts'
import { ListenerState } from './listener-state.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import { Watcher } from './watcher.ts'

export interface ListeningOptions {
  readonly store: Store
  readonly log: SessionLog
  readonly router: EventRouter
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly limits?: SessionLimits | undefined
}

const pageSize = 200
// A reader that takes nothing holds one page: however long events are, it must not be much.
const pageCharacters = 200_000
const turnsWithoutCursor = 20
const never = new AbortController().signal

/** What listeners get of a session: how things stand, what was before, and what comes, by their delivery rules. */
export class Listening {
  readonly #store: Store
  readonly #log: SessionLog
  readonly #router: EventRouter
  readonly #feeds: Feeds
  readonly #partTypes: PartTypeRegistry
  readonly #limits: SessionLimits | undefined
  readonly #selection = new FrameSelection((frame, to) => this.reaches(frame, to))

  constructor({ store, log, router, runtime, partTypes, limits }: ListeningOptions) {
    this.#store = store
    this.#log = log
    this.#router = router
    this.#feeds = new Feeds({ store, log, runtime, coordinates: (state) => router.coordinates(state) })
    this.#partTypes = partTypes
    this.#limits = limits
  }

  async watch(session: string, to: Originator, after: FramePosition | undefined, sink: FrameSink): Promise<Watch> {
    const from = typeof after === 'object' ? after.from : undefined
    const record = await this.#router.find(session, to.principal, from)
    const start = await this.#place(session, after, record.state)
    const watcher = new Watcher(sink, this.#limits?.viewer)
    const joined = await this.#feeds.join(session, Math.max(record.head, start), watcher)
    try {
      const reply = this.#told(record)
      const past = this.#past(this.#history(session, start, joined.position, from), joined.open, to, reply)
      watcher.begin({ past, select: this.#selecting(to, reply), leave: () => joined.leave() })
      return watcher
    } catch (error) {
      joined.leave()
      throw error
    }
  }

  /** What a listener gets of what comes, once it has what was before. */
  #selecting(to: Originator, told: ListenerState) {
    const select = this.#selection.for(to)
    return (batch: FrameBatch): FrameBatch => {
      const isKnown = (frame: Frame) => frame.kind === 'state' && told.knows(frame)
      return select(batch.some(isKnown) ? frameBatch(batch.filter((frame) => !isKnown(frame))) : batch)
    }
  }

  /** How things stand, what was before, and the text that is open. */
  async *#past(
    history: AsyncIterable<readonly Frame[]>,
    open: readonly Frame[],
    to: Originator,
    told: ListenerState,
  ): AsyncGenerator<FrameBatch> {
    const first = told.first()
    if (first.length > 0) yield frameBatch(first)
    for await (const frames of history) {
      const mine = frames.flatMap((frame) => this.#for(frame, to, told))
      if (mine.length > 0) yield frameBatch(mine)
    }
    const growing = open.filter((frame) => this.reaches(frame, to))
    if (growing.length > 0) yield frameBatch(growing)
  }

  /** Frames one by one. A listener that wants no growing text needs no feed: it reads the log. */
  follow(session: string, to: Originator, after: FramePosition | undefined, signal: AbortSignal): AsyncIterable<Frame> {
    if (to.deliveryClass !== 'buffered') return followed((sink) => this.watch(session, to, after, sink), signal)
    const reading = new LogReading(this.#reading(to), { session, after, signal })
    return new FlatIterator(
      () => reading.next(),
      signal,
      () => reading.end(),
    )
  }

  history(session: string, to: Originator, after?: FramePosition): AsyncIterable<Frame> {
    const reading = new LogReading(this.#reading(to), { session, after })
    return new FlatIterator(
      () => reading.next(),
      never,
      () => reading.end(),
    )
  }

  /** What it takes to read the log for a listener. */
  #reading(to: Originator): LogReadingContext {
    return {
      find: (session, atLeast) => this.#router.find(session, to.principal, atLeast),
      start: (after, record) => this.#place(record.session, after, record.state),
      listenerState: (record) => this.#told(record),
      page: (...place) => this.#page(...place),
      tail: (session, after, signal) => this.#store.tail(session, after, signal),
      framesFor: (frames, told) => frames.flatMap((frame) => this.#for(frame, to, told)),
    }
  }

  #told({ state, head }: SessionRecord): ListenerState {
    return new ListenerState(this.#router.coordinates(state), head, this.#log.shown(state))
  }

  /** What becomes of a frame on its way to a listener. */
  #for(frame: Frame, to: Originator, told: ListenerState): readonly Frame[] {
    if (frame.kind !== 'state') return this.reaches(frame, to) ? [frame] : []
    const whole = told.whole(frame)
    return whole === undefined ? [] : [whole]
  }

  /** Where to begin: after the cursor if it is of this session, otherwise with the last turns. */
  async #place(session: string, after: FramePosition | undefined, state: SessionState): Promise<number> {
    if (typeof after === 'object') return after.from - 1
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

  /** Frames of the log, page by page. With `first`, that event must be the first one. */
  async *#history(session: string, after: number, upTo: number, first?: number): AsyncGenerator<readonly Frame[]> {
    if (first !== undefined && first > upTo) throw noSuchEvent()
    for (let place = after; place < upTo;) {
      if (place !== after) await yieldToEventLoop()
      const { frames, last } = await this.#page(session, place, upTo, place === after ? first : undefined)
      yield frames
      place = last
    }
  }

  /** The next frames of the log, and up to where they go. */
  async #page(session: string, after: number, upTo: number, first?: number): Promise<LogPage> {
    if (first !== undefined && first > upTo) throw noSuchEvent()
    const page = await this.#log.readUpTo(session, after, upTo, pageSize, pageCharacters)
    if (first !== undefined && page[0]?.seq !== first) throw noSuchEvent()
    const frames: Frame[] = []
    for (const logged of page) if (logged.seq <= upTo) frames.push(...framesOf(logged))
    return { frames, last: page.at(-1)?.seq ?? upTo }
  }

  /** Whether a listener gets a frame. */
  reaches(frame: Frame, to: Originator): boolean {
    if (frame.kind === 'delta') return growsFor(to, decideDelivery(frame.partType, to, this.#partTypes))
    if (frame.kind === 'decision') return isShown(decideDelivery('approval-request', to, this.#partTypes))
    if (frame.kind !== 'part') return true
    const { partType } = frame.part.metadata
    // What people have said is shown as it came.
    if (frame.role === 'user' && (partType === 'message' || partType === 'a2ui-action')) return true
    return isShown(decideDelivery(frame.part, to, this.#partTypes))
  }
}

// Listeners that get frames as they are: they show a part's text while it grows, whatever its type.
const seesAll: ReadonlySet<string> = new Set(['sse', 'websocket'])

function growsFor({ transport }: Originator, decision: DeliveryDecision): boolean {
  return decision === 'delta' || (decision === 'flush' && seesAll.has(transport))
}

function isShown(decision: DeliveryDecision): boolean {
  return decision !== 'drop' && decision !== 'audit-only' && decision !== 'inbound-only'
}

function noSuchEvent(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such event in this session.')
}
