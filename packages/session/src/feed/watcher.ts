import { BeachError } from '@cool-ai/beach-core'
import type { FrameBatch, FrameSink, Watch } from '@cool-ai/beach-core/ports'
import { Waiting, type Viewer, type ViewerLimits } from './viewer.ts'

/** How a watcher starts, once that is known. */
export interface Beginning {
  /** Frames that come before all others. */
  readonly past: AsyncIterator<FrameBatch>
  /** What this listener gets of later frames; the same batch when it gets all of it. */
  readonly select: (batch: FrameBatch) => FrameBatch
  /** Called once, when it is over. */
  readonly leave: () => void
}

/**
 * A viewer that hands its frames to a sink: first history, then what follows. Frames that the sink does not want yet
 * wait here within limits. An idle watcher is one small object: no promise, no timer, no signal.
 */
export class Watcher implements Viewer, Watch {
  readonly #sink: FrameSink
  readonly #limits: ViewerLimits | undefined
  #past: Beginning['past'] | undefined
  #select: Beginning['select'] | undefined
  #leave: Beginning['leave'] | undefined
  #waiting: Waiting | undefined
  /** True once history is over. */
  #isLive = false
  #wants = false
  #isReading = false
  #isHanding = false
  #state: 'open' | 'ending' | 'ended' = 'open'

  constructor(sink: FrameSink, limits?: ViewerLimits) {
    this.#sink = sink
    this.#limits = limits
  }

  begin({ past, select, leave }: Beginning): void {
    this.#past = past
    this.#select = select
    this.#leave = leave
    if (this.#state === 'ended') this.#finish()
  }

  push(frames: FrameBatch): void {
    if (this.#state !== 'open') return
    if (this.#wants && !this.#isHanding && this.#waiting === undefined && this.#isLive) return this.#hand(frames)
    try {
      this.#waiting ??= new Waiting(this.#limits)
      this.#waiting.add(frames)
    } catch (error) {
      this.end(error)
    }
  }

  /** Without an error, what waits is still handed over. */
  end(error?: unknown): void {
    if (this.#state === 'ended') return
    this.#state = 'ending'
    if (error === undefined && (this.#waiting !== undefined || !this.#isLive)) return
    this.#finish()
    this.#sink.end(error)
  }

  resume(): void {
    this.#wants = true
    // Some sinks ask for more while they are given a batch: it follows in its turn.
    if (this.#isHanding) return
    if (!this.#isLive) void this.#readPast()
    else this.#drain()
  }

  stop(): void {
    if (this.#state !== 'ended') this.#finish()
  }

  /** A failure of this listener ends only this listener. */
  #hand(frames: FrameBatch): void {
    try {
      const mine = this.#isLive ? (this.#select?.(frames) ?? frames) : frames
      if (mine.length === 0) return
      this.#wants = false
      this.#isHanding = true
      // What it wanted while it was given this counts too.
      this.#wants = this.#sink.frames(mine) || this.#wants
    } catch (error) {
      this.end(error)
    } finally {
      this.#isHanding = false
    }
  }

  async #readPast(): Promise<void> {
    if (this.#isReading || this.#past === undefined) return
    this.#isReading = true
    try {
      while (this.#wants && this.#past !== undefined) {
        const { done, value } = await this.#past.next()
        if (this.#state === 'ended') return
        if (done !== true) this.#hand(value)
        else {
          this.#past = undefined
          this.#isLive = true
        }
      }
    } catch (error) {
      this.end(error ?? new BeachError('INTERNAL', 'The session could not be read.'))
    } finally {
      this.#isReading = false
    }
    if (this.#isLive) this.#drain()
  }

  #drain(): void {
    while (this.#wants && this.#waiting !== undefined && this.#state !== 'ended') {
      const frames = this.#waiting.take()
      if (frames === undefined) this.#waiting = undefined
      else this.#hand(frames)
    }
    if (this.#state !== 'ending' || this.#waiting !== undefined) return
    this.#finish()
    this.#sink.end()
  }

  #finish(): void {
    this.#state = 'ended'
    this.#waiting = undefined
    this.#past?.return?.().catch(() => {})
    this.#past = undefined
    this.#leave?.()
    this.#leave = undefined
  }
}
