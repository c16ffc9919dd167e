import { BeachError, type Frame } from '@cool-ai/beach-core'
import type { FrameBatch } from '@cool-ai/beach-core/ports'

/** How much may wait for one viewer before it is disconnected; it can come back and resume. */
export interface ViewerLimits {
  readonly frames: number
  readonly characters: number
}

const viewerLimits: ViewerLimits = { frames: 10_000, characters: 2_000_000 }

/** One follower of a feed, as the feed sees it. */
export interface Viewer {
  /** Takes a batch, the same one as all viewers. */
  push(batch: FrameBatch): void
  end(error?: unknown): void
}

/** The queue of one viewer, within limits: a viewer that does not read harms only itself. */
export class Waiting {
  readonly #limits: ViewerLimits
  readonly #lists: FrameBatch[] = []
  #frames = 0
  #characters = 0

  constructor(limits: ViewerLimits = viewerLimits) {
    this.#limits = limits
  }

  /** Throws when that is too much. */
  add(frames: FrameBatch): void {
    this.#lists.push(frames)
    this.#frames += frames.length
    this.#characters += charactersOf(frames)
    if (this.#frames <= this.#limits.frames && this.#characters <= this.#limits.characters) return
    throw new BeachError('SLOW_READER', 'This reader did not keep up. Connect again with the last event id.')
  }

  /** The list that has waited longest; undefined when none waits. */
  take(): FrameBatch | undefined {
    const frames = this.#lists.shift()
    if (frames === undefined) return undefined
    this.#frames -= frames.length
    this.#characters -= charactersOf(frames)
    return frames
  }
}

const counted = new WeakMap<readonly Frame[], number>()

/** About how long it is as text. All viewers of a session get the same lists: it is counted once. */
function charactersOf(frames: readonly Frame[]): number {
  const known = counted.get(frames)
  if (known !== undefined) return known
  const characters = frames.reduce((sum, frame) => sum + lengthOf(frame), 0)
  counted.set(frames, characters)
  return characters
}

function lengthOf(frame: Frame): number {
  if (frame.kind === 'delta') return frame.text.length + 100
  return frame.kind === 'part' ? JSON.stringify(frame.part).length + 100 : JSON.stringify(frame).length
}
