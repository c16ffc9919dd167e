import type { Coordinates, Frame } from '@cool-ai/beach-core'
import type { ApprovalOutcome } from '@cool-ai/beach-core/ports'
import { isWellShaped } from './frame-shape.ts'
import type {
  StreamBeginning,
  StreamChange,
  StreamDecision,
  StreamEvents,
  StreamPart,
  StreamTurn,
} from './stream-types.ts'
import { StreamView } from './stream-view.ts'

export type {
  StreamBeginning,
  StreamDecision,
  StreamDelta,
  StreamEvents,
  StreamGap,
  StreamPart,
  StreamRetraction,
  StreamTurn,
} from './stream-types.ts'

type AnyListener = (value: never) => void

/**
 * A conversation as it arrives: give it frames, in any order a connection may produce them, and follow its parts.
 * It runs in browsers as it is and knows nothing of how frames travel.
 */
export class EnvelopeStream implements AsyncIterable<StreamPart> {
  readonly #view = new StreamView()
  readonly #listeners = new Map<keyof StreamEvents, Set<AnyListener>>()
  #waiting: (() => void)[] = []
  #parts: readonly StreamPart[] | undefined
  #lastCursor: string | undefined
  #closed = false
  #reason: Error | undefined

  /** Every part, in order: durable ones, then those whose text still grows. */
  get parts(): readonly StreamPart[] {
    this.#parts ??= [...this.#view.committed, ...this.#view.open()]
    return this.#parts
  }

  get turns(): readonly StreamTurn[] {
    return [...this.#view.turns.values()]
  }

  /** The decisions on approvals, by their ids: by whom, where and when. */
  get decisions(): ReadonlyMap<string, StreamDecision> {
    return this.#view.decisions
  }

  /** How approvals ended, by their ids; one that is missing can still be decided. */
  get approvals(): ReadonlyMap<string, ApprovalOutcome> {
    return this.#view.approvals
  }

  /** Where the session's coordinates stand. */
  get state(): Coordinates {
    return this.#view.state
  }

  /** What slices showed when the stream began; undefined before that, and where they show nothing. */
  get began(): StreamBeginning | undefined {
    return this.#view.began
  }

  /** Ids of open parts some of whose text is missing. */
  get gaps(): ReadonlySet<string> {
    const open = this.#view.open()
    return new Set(open.filter((part) => part.gap).map((part) => part.partId))
  }

  /** The cursor to reconnect with; undefined before the first durable frame. */
  get lastCursor(): string | undefined {
    return this.#lastCursor
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Takes one frame; one that says nothing new changes nothing, and so does one of an unknown shape. */
  apply(frame: Frame): void {
    if (this.#closed) return
    const changes = isWellShaped(frame) ? this.#view.apply(frame) : []
    // What a newer agent sends is behind us all the same.
    this.#lastCursor = (frame as Frame | null)?.cursor ?? this.#lastCursor
    if (changes.length === 0) return
    this.#parts = undefined
    this.#wake()
    this.#announce(changes)
  }

  /** Calls back for each event of that name; the returned function ends it. */
  on<Name extends keyof StreamEvents>(name: Name, listener: (value: StreamEvents[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    // Wrapped, so that the same function given twice is called twice and removed once.
    const entry: AnyListener = (value) => listener(value)
    listeners.add(entry)
    return () => {
      listeners.delete(entry)
    }
  }

  /** Durable parts from the first one on, then those that come, until the stream is closed. */
  async *[Symbol.asyncIterator](): AsyncIterator<StreamPart, void> {
    for (let index = 0; ; index++) {
      while (index >= this.#view.committed.length) {
        if (this.#closed) {
          if (this.#reason !== undefined) throw this.#reason
          return
        }
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
      const part = this.#view.committed[index]
      if (part !== undefined) yield part
    }
  }

  /** Takes no more frames, ends every iteration (with the reason, if it is an error) and forgets the listeners. */
  close(reason?: Error): void {
    if (this.#closed) return
    this.#closed = true
    this.#reason = reason
    this.#listeners.clear()
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  #announce(changes: readonly StreamChange[]): void {
    const errors: unknown[] = []
    for (const { type, value } of changes) this.#emit(type, value, errors)
    this.#emit('change', undefined, errors)
    // A listener's error must not keep the others from hearing, and must not be lost.
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Several listeners failed.')
  }

  #emit<Name extends keyof StreamEvents>(name: Name, value: StreamEvents[Name], errors: unknown[]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(value as never)
      } catch (error) {
        errors.push(error)
      }
    }
  }
}
