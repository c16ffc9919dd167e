import type { Coordinates, Frame } from '@cool-ai/beach-core'

type StateFrame = Extract<Frame, { kind: 'state' }>

/**
 * What one listener is told of the session's state. The log has what moved; the listener gets where everything stands,
 * first as it is when it comes, then with each move.
 */
export class ToldState {
  #coordinates: Coordinates
  #seq: number

  constructor(coordinates: Coordinates, seq: number) {
    this.#coordinates = coordinates
    this.#seq = seq
  }

  /** How things stand at the start; nothing for agents without state machines. */
  first(): StateFrame[] {
    if (Object.keys(this.#coordinates).length === 0) return []
    return [{ kind: 'state', seq: this.#seq, coordinates: this.#coordinates }]
  }

  /** True when the listener has been told of this, or of more. */
  knows({ seq }: StateFrame): boolean {
    return seq <= this.#seq
  }

  /** The frame with all coordinates; undefined when what it tells is known already. */
  whole(frame: StateFrame): StateFrame | undefined {
    if (this.knows(frame)) return undefined
    this.#seq = frame.seq
    this.#coordinates = { ...this.#coordinates, ...frame.coordinates }
    return { ...frame, coordinates: this.#coordinates }
  }
}
