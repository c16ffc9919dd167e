import {
  BeachError,
  type DeliveryDecision,
  type Frame,
  type Originator,
  type PartTypeRegistry,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import { sliceState, type EventRouter, type SessionLog, type SessionRecord } from '@cool-ai/beach-core/log'
import {
  frameBatch,
  type FrameBatch,
  type FramePosition,
  type FrameSink,
  type TailItem,
  type Watch,
} from '@cool-ai/beach-core/ports'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { decideDelivery } from '@cool-ai/beach-protocol/parts'
import type { SessionLimits } from '../turn/admission.ts'
import { Feeds } from './feeds.ts'
import { followed } from './followed.ts'
import { framesOf } from './frames.ts'
import { LogReading, type LogPage } from './log-reading.ts'
import { FlatIterator } from './flat-iterator.ts'
import { ListenerState } from './listener-state.ts'
import { shownCall } from './shown-calls.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import { Watcher } from './watcher.ts'

/** Whether a frame may go to a listener. */
export type CanReceive = (frame: Frame, to: Originator) => boolean

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

/** What listeners get of a session: its state, its history, and what follows, by their delivery rules. */
export class Listening {
  readonly #options: ListeningOptions
  readonly #feeds: Feeds
  /** The last selection for listeners of one form: they are served one after the other, so the last batch is enough. */
  readonly #selected = new Map<string, { readonly from: FrameBatch; readonly batch: FrameBatch }>()

  constructor(options: ListeningOptions) {
    this.#options = options
    this.#feeds = new Feeds(options)
  }

  async watch(session: string, to: Originator, after: FramePosition | undefined, sink: FrameSink): Promise<Watch> {
    const from = typeof after === 'object' ? after.from : undefined
    const record = await this.find(session, to, from)
    const start = await this.place(after, record)
    const watcher = new Watcher(sink, this.#options.limits?.viewer)
    const joined = await this.#feeds.join(session, Math.max(record.head, start), watcher)
    try {
      const reply = this.listenerState(record)
      const past = this.#past(this.#history(session, start, joined.position, from), joined.open, to, reply)
      watcher.begin({ past, select: this.#selecting(to, reply), leave: () => joined.leave() })
      return watcher
    } catch (error) {
      joined.leave()
      throw error
    }
  }

  /**
   * What a listener gets of new frames, once it has the history. Listeners of one form, by one transport, get the same
   * batch: all that is derived from it is then derived once for all of them.
   */
  #selecting(to: Originator, listener: ListenerState) {
    const form = formOf(to)
    return (all: FrameBatch): FrameBatch => {
      const known = all.filter((frame) => frame.kind === 'state' && listener.knows(frame))
      const from = known.length === 0 ? all : frameBatch(all.filter((frame) => !known.includes(frame)))
      const last = form === undefined ? undefined : this.#selected.get(form)
      if (last?.from === from) return last.batch
      const mine = from.map((frame) => this.#shown(frame, to))
      const isAll = mine.every((frame, index) => frame === from[index])
      const batch = isAll ? from : frameBatch(mine.filter((frame) => frame !== undefined))
      if (form !== undefined) this.#selected.set(form, { from, batch })
      return batch
    }
  }

  /** The state, the history, and the open text. */
  async *#past(
    history: AsyncIterable<readonly Frame[]>,
    open: readonly Frame[],
    to: Originator,
    listener: ListenerState,
  ): AsyncGenerator<FrameBatch> {
    const first = listener.first()
    if (first.length > 0) yield frameBatch(first)
    for await (const frames of history) {
      const mine = this.framesFor(frames, to, listener)
      if (mine.length > 0) yield frameBatch(mine)
    }
    const growing = open.filter((frame) => this.reaches(frame, to))
    if (growing.length > 0) yield frameBatch(growing)
  }

  /** Frames one by one. A listener that wants no growing text needs no feed: it reads the log. */
  follow(session: string, to: Originator, after: FramePosition | undefined, signal: AbortSignal): AsyncIterable<Frame> {
    if (to.deliveryClass !== 'buffered') return followed((sink) => this.watch(session, to, after, sink), signal)
    const reading = new LogReading(this, { session, to, after, signal })
    return new FlatIterator(
      () => reading.next(),
      signal,
      () => reading.end(),
    )
  }

  history(session: string, to: Originator, after?: FramePosition): AsyncIterable<Frame> {
    const reading = new LogReading(this, { session, to, after })
    return new FlatIterator(
      () => reading.next(),
      never,
      () => reading.end(),
    )
  }

  find(session: string, to: Originator, atLeast?: number): Promise<SessionRecord> {
    return this.#options.router.find(session, to.principal, atLeast)
  }

  /** What is appended to the log after a seq. */
  tail(session: string, after: number, signal: AbortSignal): AsyncIterable<readonly TailItem[]> {
    return this.#options.store.tail(session, after, signal)
  }

  /** What a listener knows of the state when it begins with these frames. */
  listenerState({ state, head }: SessionRecord): ListenerState {
    const { router, log } = this.#options
    return new ListenerState(router.coordinates(state), head, log.shown(state))
  }

  /** The selection of frames for a listener. */
  framesFor(frames: readonly Frame[], to: Originator, listener: ListenerState): readonly Frame[] {
    return frames.flatMap((frame): readonly Frame[] => {
      const mine = frame.kind === 'state' ? listener.whole(frame) : this.#shown(frame, to)
      return mine === undefined ? [] : [mine]
    })
  }

  /** Where to begin: after the cursor if it is of this session, otherwise with the last turns. */
  async place(after: FramePosition | undefined, { session, state }: SessionRecord): Promise<number> {
    if (typeof after === 'object') return after.from - 1
    const seq = after !== undefined && /^\d{1,15}$/.test(after) ? Number(after) : undefined
    if (seq !== undefined) {
      const [found] = await this.#options.log.read(session, seq - 1, 1)
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
      const { frames, last } = await this.page(session, place, upTo, place === after ? first : undefined)
      yield frames
      place = last
    }
  }

  /** The next frames of the log, and up to where they go. */
  async page(session: string, after: number, upTo: number, first?: number): Promise<LogPage> {
    if (first !== undefined && first > upTo) throw noSuchEvent()
    const page = await this.#options.log.readUpTo(session, after, upTo, pageSize, pageCharacters)
    if (first !== undefined && page[0]?.seq !== first) throw noSuchEvent()
    const frames: Frame[] = []
    for (const logged of page) if (logged.seq <= upTo) frames.push(...framesOf(logged))
    return { frames, last: page.at(-1)?.seq ?? upTo }
  }

  /** A frame as a listener gets it; undefined when it does not. */
  #shown(frame: Frame, to: Originator): Frame | undefined {
    if (frame.kind === 'call' || frame.kind === 'result') return shownCall(frame, to)
    return this.reaches(frame, to) ? frame : undefined
  }

  /** Whether a listener gets a frame. */
  reaches(frame: Frame, to: Originator): boolean {
    const { partTypes } = this.#options
    if (frame.kind === 'call' || frame.kind === 'result') return shownCall(frame, to) !== undefined
    if (frame.kind === 'delta') {
      const decision = decideDelivery(frame.partType, to, partTypes)
      return decision === 'delta' || (decision === 'flush' && seesAll.has(to.transport))
    }
    if (frame.kind === 'decision') return !hidden.has(decideDelivery('approval-request', to, partTypes))
    if (frame.kind !== 'part') return true
    // Messages are shown as they came.
    if (frame.role === 'user' && asItCame.has(frame.part.metadata.partType)) return true
    return !hidden.has(decideDelivery(frame.part, to, partTypes))
  }
}

const asItCame: ReadonlySet<string> = new Set(['message', 'a2ui-action'])
const hidden: ReadonlySet<DeliveryDecision> = new Set(['drop', 'audit-only', 'inbound-only'])
// Listeners that get frames as they are: they show a part's text while it grows, whatever the part's type.
const seesAll: ReadonlySet<string> = new Set(['sse', 'websocket'])

/**
 * Listeners of the same form get the same frames. Peers, whose cards say what they consume, are treated one by one, and so
 * are listeners that are shown tool calls: they see more of those that their own clients run.
 */
function formOf({ transport, deliveryClass, consumes, toolCalls }: Originator): string | undefined {
  return consumes === undefined && toolCalls === undefined ? `${deliveryClass} ${transport}` : undefined
}

function noSuchEvent(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such event in this session.')
}
