import type { Frame, Originator } from '@cool-ai/beach-core'
import { toLogged, type SessionRecord } from '@cool-ai/beach-core/log'
import type { FramePosition, TailItem } from '@cool-ai/beach-core/ports'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { framesOf } from './frames.ts'
import type { ListenerState } from './listener-state.ts'
import type { Listening } from './listening.ts'

/** Some frames of the log, and the seq up to which they go. */
export interface LogPage {
  readonly frames: readonly Frame[]
  readonly last: number
}

export interface LogPosition {
  readonly session: string
  readonly to: Originator
  readonly after: FramePosition | undefined
  /** New events are yielded too, until this aborts; without it reading ends with the log's present end. */
  readonly signal?: AbortSignal | undefined
}

/** Reads a session's log for one listener: state, history, and what follows. */
export class LogReading {
  readonly #listening: Listening
  readonly #at: LogPosition
  #begun: { readonly record: SessionRecord; readonly listenerState: ListenerState } | undefined
  /** History is read up to here. */
  #place = 0
  /** The event that must be the first, until it has been. */
  #first: number | undefined
  /** True once a page was read: long histories yield to the event loop in between. */
  #hasPage = false
  #tail: AsyncIterator<readonly TailItem[]> | undefined

  constructor(listening: Listening, at: LogPosition) {
    this.#listening = listening
    this.#at = at
    this.#first = typeof at.after === 'object' ? at.after.from : undefined
  }

  /** The next frames, which may be none for this listener; undefined at the end. */
  async next(): Promise<readonly Frame[] | undefined> {
    if (this.#begun === undefined) return this.#begin()
    const { record, listenerState } = this.#begun
    const { session, to, signal } = this.#at
    if (this.#place < record.head || this.#first !== undefined) {
      if (this.#hasPage) await yieldToEventLoop()
      this.#hasPage = true
      const { frames, last } = await this.#listening.page(session, this.#place, record.head, this.#first)
      this.#first = undefined
      this.#place = last
      return this.#listening.framesFor(frames, to, listenerState)
    }
    if (signal === undefined) return undefined
    this.#tail ??= this.#listening.tail(session, record.head, signal)[Symbol.asyncIterator]()
    const { done, value } = await this.#tail.next()
    return done === true ? undefined : this.#listening.framesFor(framesIn(value), to, listenerState)
  }

  end(): void {
    void this.#tail?.return?.()
  }

  async #begin(): Promise<readonly Frame[]> {
    const { session, to, after, signal } = this.#at
    // A follower gets from the tail what this process does not know yet; without one the log's present end counts, which
    // another process may have written.
    const record = await this.#listening.find(session, to, signal && this.#first)
    const listenerState = this.#listening.listenerState(record)
    this.#place = await this.#listening.place(after, record)
    this.#begun = { record, listenerState }
    return listenerState.first()
  }
}

function framesIn(items: readonly TailItem[]): Frame[] {
  const frames: Frame[] = []
  for (const item of items) {
    if ('seq' in item) frames.push(...framesOf(toLogged(item)))
  }
  return frames
}
