import type { Frame } from '@cool-ai/beach-core'
import type { SessionEvent, SessionRecord } from '@cool-ai/beach-core/log'
import type { FramePosition, TailItem } from '@cool-ai/beach-core/ports'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { framesOf } from './frames.ts'
import type { ListenerState } from './listener-state.ts'

/** Some frames of the log, and the seq up to which they go. */
export interface LogPage {
  readonly frames: readonly Frame[]
  readonly last: number
}

/** What it takes to read the log for a listener. */
export interface LogReadingContext {
  readonly find: (session: string, atLeast?: number) => Promise<SessionRecord>
  /** The seq after which to begin. */
  readonly start: (after: FramePosition | undefined, record: SessionRecord) => number | Promise<number>
  readonly listenerState: (record: SessionRecord) => ListenerState
  readonly page: (session: string, after: number, upTo: number, first?: number) => Promise<LogPage>
  readonly tail: (session: string, after: number, signal: AbortSignal) => AsyncIterable<readonly TailItem[]>
  readonly framesFor: (frames: readonly Frame[], told: ListenerState) => readonly Frame[]
}

export interface LogPosition {
  readonly session: string
  readonly after: FramePosition | undefined
  /** What comes into the log is given too, until this aborts; without it reading ends with what is there. */
  readonly signal?: AbortSignal
}

/** Reads a session's log for one listener: how things stand, what was before, and what comes. */
export class LogReading {
  readonly #context: LogReadingContext
  readonly #at: LogPosition
  #begun: { readonly record: SessionRecord; readonly listenerState: ListenerState } | undefined
  /** What was before is read up to here. */
  #place = 0
  /** The event that must be the first, until it has been. */
  #first: number | undefined
  /** True once a page was read: what has more lets others through in between. */
  #hasPage = false
  #tail: AsyncIterator<readonly TailItem[]> | undefined

  constructor(context: LogReadingContext, at: LogPosition) {
    this.#context = context
    this.#at = at
    this.#first = typeof at.after === 'object' ? at.after.from : undefined
  }

  /** The next frames, which may be none for this listener; undefined at the end. */
  async next(): Promise<readonly Frame[] | undefined> {
    if (this.#begun === undefined) return this.#begin()
    const { record, listenerState } = this.#begun
    if (this.#place < record.head || this.#first !== undefined) {
      if (this.#hasPage) await yieldToEventLoop()
      this.#hasPage = true
      const { frames, last } = await this.#context.page(this.#at.session, this.#place, record.head, this.#first)
      this.#first = undefined
      this.#place = last
      return this.#context.framesFor(frames, listenerState)
    }
    const { session, signal } = this.#at
    if (signal === undefined) return undefined
    this.#tail ??= this.#context.tail(session, record.head, signal)[Symbol.asyncIterator]()
    const { done, value } = await this.#tail.next()
    return done === true ? undefined : this.#context.framesFor(framesIn(value), listenerState)
  }

  end(): void {
    void this.#tail?.return?.()
  }

  async #begin(): Promise<readonly Frame[]> {
    const record = await this.#context.find(this.#at.session, this.#first)
    const listenerState = this.#context.listenerState(record)
    this.#place = await this.#context.start(this.#at.after, record)
    this.#begun = { record, listenerState }
    return listenerState.first()
  }
}

function framesIn(items: readonly TailItem[]): Frame[] {
  const frames: Frame[] = []
  for (const item of items) {
    if ('seq' in item) frames.push(...framesOf({ seq: item.seq, event: item.data as SessionEvent }))
  }
  return frames
}
