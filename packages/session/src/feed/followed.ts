import type { Frame } from '@cool-ai/beach-core'
import type { FrameSink, Watch } from '@cool-ai/beach-core/ports'

type Next = IteratorResult<Frame, undefined>

const over: Next = { done: true, value: undefined }

/** Frames one by one, for a consumer that fetches them at its own pace, until the signal aborts. */
export function followed(open: (sink: FrameSink) => Promise<Watch>, signal: AbortSignal): AsyncIterable<Frame> {
  return new FollowedFrames(open, signal)
}

/**
 * Takes one batch at a time. No generator, and one promise for each frame that is waited for: this is passed by every
 * piece of growing text.
 */
class FollowedFrames implements AsyncIterableIterator<Frame, undefined>, FrameSink {
  readonly #open: (sink: FrameSink) => Promise<Watch>
  readonly #signal: AbortSignal
  readonly #stop = () => this.end()
  readonly #callers: { readonly resolve: (next: Next) => void; readonly reject: (error: unknown) => void }[] = []
  #watch: Watch | undefined
  #isOpening = false
  #frames: readonly Frame[] = []
  #given = 0
  #end: { readonly error?: unknown } | undefined

  constructor(open: (sink: FrameSink) => Promise<Watch>, signal: AbortSignal) {
    this.#open = open
    this.#signal = signal
    signal.addEventListener('abort', this.#stop, { once: true })
    if (signal.aborted) this.end()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Next> {
    if (this.#callers.length === 0 && this.#hasFrame) return Promise.resolve(this.#give())
    return new Promise((resolve, reject) => {
      this.#callers.push({ resolve, reject })
      if (this.#end !== undefined) this.#answer()
      else if (this.#watch !== undefined) this.#watch.resume()
      else if (!this.#isOpening) void this.#begin()
    })
  }

  return(): Promise<Next> {
    this.#frames = []
    this.end()
    return Promise.resolve(over)
  }

  frames(frames: readonly Frame[]): boolean {
    this.#frames = frames
    this.#given = 0
    this.#answer()
    return this.#callers.length > 0
  }

  end(error?: unknown): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    this.#signal.removeEventListener('abort', this.#stop)
    this.#watch?.stop()
    this.#answer()
  }

  get #hasFrame(): boolean {
    return this.#given < this.#frames.length && !this.#signal.aborted
  }

  async #begin(): Promise<void> {
    this.#isOpening = true
    try {
      const watch = await this.#open(this)
      if (this.#end !== undefined) return watch.stop()
      this.#watch = watch
      watch.resume()
    } catch (error) {
      this.end(error)
    }
  }

  /** Answers callers in their order, with the frames that are there, then with the end. */
  #answer(): void {
    while (this.#callers.length > 0 && this.#hasFrame) this.#callers.shift()?.resolve(this.#give())
    if (this.#end === undefined) return
    // The first to be told is told why.
    for (const { resolve, reject } of this.#callers.splice(0)) {
      const { error } = this.#end
      this.#end = {}
      if (error === undefined) resolve(over)
      else reject(error)
    }
  }

  #give(): Next {
    return { done: false, value: this.#frames[this.#given++] as Frame }
  }
}
