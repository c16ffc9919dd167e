import { machineTime } from '../measure.ts'

/** What a client wants to be fanned out; it travels as the text of the message, so that both servers get the same. */
export interface Fanned {
  readonly parts: number
  /** The pause before each of them. */
  readonly everyMs: number
}

const filling = 'word '.repeat(100)

/** A part's text: the time at which it was spoken between two marks, and some words. */
export function spokenPart(): string {
  return `@${machineTime()}@ ${filling}`
}
