import type { Frame, Originator } from '@cool-ai/beach-core'

/** Whether a frame may go to a listener. */
export type CanReceive = (frame: Frame, to: Originator) => boolean

interface Selected {
  readonly from: readonly Frame[]
  readonly frames: readonly Frame[]
}

/**
 * What listeners get of a list of frames. Those of one form, by one transport, get the same list: all that is made of it
 * is then made once for all of them. They are told one after the other, so the last list of each form is enough.
 */
export class FrameSelection {
  readonly #reaches: CanReceive
  readonly #last = new Map<string, Selected>()

  constructor(reaches: CanReceive) {
    this.#reaches = reaches
  }

  /** What is selected for a listener from now on. */
  for(to: Originator): (frames: readonly Frame[]) => readonly Frame[] {
    const form = formOf(to)
    return (from) => {
      const last = form === undefined ? undefined : this.#last.get(form)
      if (last?.from === from) return last.frames
      const frames = from.every((frame) => this.#reaches(frame, to))
        ? from
        : from.filter((frame) => this.#reaches(frame, to))
      if (form !== undefined) this.#last.set(form, { from, frames })
      return frames
    }
  }
}

/** Listeners of the same form get the same. Peers, who say what they consume, are taken one by one. */
function formOf({ transport, deliveryClass, consumes }: Originator): string | undefined {
  return consumes === undefined ? `${deliveryClass} ${transport}` : undefined
}
