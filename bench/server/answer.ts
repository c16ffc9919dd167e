import { setTimeout } from 'node:timers/promises'
import { machineTime } from '../measure.ts'

/** What a client wants to be told; it travels as the text of the message, so that both servers get the same. */
export interface Wanted {
  readonly deltas: number
  /** The pause before each delta; with one, a delta is the time at which it was spoken, otherwise a word. */
  readonly everyMs: number
}

/** The answer that both servers stream. */
export async function* answer(message: string): AsyncGenerator<string> {
  const { deltas, everyMs } = JSON.parse(message) as Wanted
  for (let n = 0; n < deltas; n++) {
    if (everyMs > 0) await setTimeout(everyMs)
    yield everyMs > 0 ? `${machineTime()} ` : 'word '
  }
}
