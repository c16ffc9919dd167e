import type { Frame } from '@cool-ai/beach-core'

/** Leaves out the frames of events up to a seq, and live text before the first of the others: it is of earlier turns. */
export class FramesAfter {
  readonly #seq: number
  #hasBegun = false
  #event: Frame[] = []

  constructor(seq: number) {
    this.#seq = seq
  }

  take(frames: readonly Frame[]): readonly Frame[] {
    if (this.#hasBegun) return frames
    for (const frame of frames) {
      if (this.#hasBegun || frame.kind !== 'delta') this.#event.push(frame)
      if (this.#hasBegun || frame.cursor === undefined) continue
      this.#hasBegun = Number(frame.cursor) > this.#seq
      if (!this.#hasBegun) this.#event = []
    }
    return this.#hasBegun ? this.#event : []
  }
}
