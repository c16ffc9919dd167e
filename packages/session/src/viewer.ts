import { BeachError, type Frame } from '@cool-ai/beach-core'

/** How much may wait for one viewer before it is let go; it can come back and resume. */
export interface ViewerLimits {
  readonly frames: number
  readonly characters: number
}

const viewerLimits: ViewerLimits = { frames: 10_000, characters: 2_000_000 }

/** One follower of a feed: a bounded queue, so that one that does not read harms nobody but itself. */
export class Viewer {
  readonly #limits: ViewerLimits
  #frames: Frame[] = []
  #characters = 0
  #ended = false
  #error: unknown
  #notify = () => {}

  constructor(limits: ViewerLimits = viewerLimits) {
    this.#limits = limits
  }

  push(frame: Frame): void {
    if (this.#ended) return
    this.#frames.push(frame)
    this.#characters += weight(frame)
    if (this.#frames.length > this.#limits.frames || this.#characters > this.#limits.characters) {
      this.#frames = []
      this.end(new BeachError('SLOW_READER', 'This reader did not keep up. Connect again with the last event id.'))
    }
    this.#notify()
  }

  end(error?: unknown): void {
    this.#ended = true
    this.#error ??= error
    this.#notify()
  }

  /** What waits, in batches; ends when the viewer is let go. */
  async *batches(): AsyncGenerator<readonly Frame[]> {
    for (;;) {
      if (this.#frames.length > 0) {
        const frames = this.#frames
        this.#frames = []
        this.#characters = 0
        yield frames
      } else if (this.#ended) {
        if (this.#error !== undefined) throw this.#error
        return
      } else {
        await new Promise<void>((resolve) => (this.#notify = resolve))
      }
    }
  }
}

function weight(frame: Frame): number {
  if (frame.kind === 'delta') return frame.text.length + 100
  if (frame.kind !== 'part') return 100
  const { text, data } = frame.part
  return 100 + (text?.length ?? 0) + (data === undefined ? 0 : JSON.stringify(data).length)
}
