import { isBeachError, type Clock } from '@cool-ai/beach-core'

export interface SseOptions {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** What is sent as the last event when the source fails. */
  readonly onError: (error: unknown) => string
  /** Called once, when the stream is over, however it ended. */
  readonly onEnd: () => void
}

/** Where server-sent events go. */
export interface SseOutlet {
  /** True when the reader has taken what was written before. */
  hasRoom(): boolean
  write(text: string): void
  close(): void
  /** Ends it at once, for a reader that takes nothing. */
  drop(): void
}

/** Texts as server-sent events, with heartbeats in between. A reader that takes nothing for two heartbeats is let go. */
export class SseEvents {
  readonly #events: AsyncIterator<string>
  readonly #outlet: SseOutlet
  readonly #options: SseOptions
  #isOver = false
  #stalled = 0
  #cancelTimer = () => {}

  constructor(events: AsyncIterator<string>, outlet: SseOutlet, options: SseOptions) {
    this.#events = events
    this.#outlet = outlet
    this.#options = options
    this.#beat()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Writes the next event, or the end. */
  async next(): Promise<void> {
    try {
      const { done, value } = await this.#events.next()
      if (this.#isOver) return
      if (done !== true) return this.#write(value)
    } catch (error) {
      if (this.#isOver) return
      // A client that did not keep up can subscribe again.
      if (!isBeachError(error, 'SLOW_READER')) this.#write(this.#options.onError(error))
    }
    this.end()
    this.#outlet.close()
  }

  /** Further events are not needed. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimer()
    this.#options.onEnd()
    this.#events.return?.().catch(() => {})
  }

  #write(data: string): void {
    this.#outlet.write(`data: ${data}\n\n`)
  }

  #beat(): void {
    this.#cancelTimer = this.#options.clock.timer(this.#options.heartbeatMs, () => {
      if (this.#isOver) return
      if (this.#outlet.hasRoom()) {
        this.#stalled = 0
        this.#outlet.write(':\n\n')
      } else if (++this.#stalled >= 2) {
        this.end()
        return this.#outlet.drop()
      }
      this.#beat()
    })
  }
}
