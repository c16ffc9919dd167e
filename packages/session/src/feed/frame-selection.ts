import type { Frame, Originator } from '@cool-ai/beach-core'
import { frameBatch, type FrameBatch } from '@cool-ai/beach-core/ports'

/** Whether a frame may go to a listener. */
export type CanReceive = (frame: Frame, to: Originator) => boolean

interface Selected {
  readonly from: FrameBatch
  readonly batch: FrameBatch
}

/**
 * What listeners get of a batch. Those of one form, by one transport, get the same batch: all that is made of it is then
 * made once for all of them. They are told one after the other, so the last batch of each form is enough.
 */
export class FrameSelection {
  readonly #reaches: CanReceive
  readonly #last = new Map<string, Selected>()

  constructor(reaches: CanReceive) {
    this.#reaches = reaches
  }

  /** What is selected for a listener from now on. */
  for(to: Originator): (batch: FrameBatch) => FrameBatch {
    const form = formOf(to)
    return (from) => {
      const last = form === undefined ? undefined : this.#last.get(form)
      if (last?.from === from) return last.batch
      const batch = from.every((frame) => this.#reaches(frame, to))
        ? from
        : frameBatch(from.filter((frame) => this.#reaches(frame, to)))
      if (form !== undefined) this.#last.set(form, { from, batch })
      return batch
    }
  }
}

/** Listeners of the same form get the same. Peers, who say what they consume, are taken one by one. */
function formOf({ transport, deliveryClass, consumes }: Originator): string | undefined {
  return consumes === undefined ? `${deliveryClass} ${transport}` : undefined
}
