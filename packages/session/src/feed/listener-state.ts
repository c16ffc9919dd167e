import type { Coordinates, Frame } from '@cool-ai/beach-core'

type StateFrame = Extract<Frame, { kind: 'state' }>

/**
 * What one listener knows of the session's state. The log records what moved; the listener gets the whole state, first
 * when it connects, then with each move.
 */
export class ListenerState {
  #coordinates: Coordinates
  #seq: number
  readonly #shown: StateFrame['shown']

  constructor(coordinates: Coordinates, seq: number, shown?: StateFrame['shown']) {
    this.#coordinates = coordinates
    this.#seq = seq
    this.#shown = shown
  }

  /** The state at the start; none for agents without state machines and slices that show something. */
  first(): StateFrame[] {
    if (Object.keys(this.#coordinates).length === 0 && this.#shown === undefined) return []
    const shown = this.#shown && { shown: this.#shown }
    return [{ kind: 'state', seq: this.#seq, coordinates: this.#coordinates, ...shown }]
  }

  /** True when the listener knows this state, or a later one. */
  knows({ seq }: StateFrame): boolean {
    return seq <= this.#seq
  }

  /** The frame with all coordinates; undefined when the listener knows them already. */
  whole(frame: StateFrame): StateFrame | undefined {
    if (this.knows(frame)) return undefined
    this.#seq = frame.seq
    this.#coordinates = { ...this.#coordinates, ...frame.coordinates }
    return { ...frame, coordinates: this.#coordinates }
  }
}
