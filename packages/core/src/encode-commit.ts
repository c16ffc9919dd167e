import { BeachError } from './errors.ts'

/** A commit larger than this belongs into the artifact store, with a reference in the log. */
export const commitLimits = { characters: 512 * 1024, events: 1_000 } as const

/** The events of one append as JSON, one text each; refused as a whole when they are too many or too large. */
export function encodeCommit(events: readonly unknown[]): string[] {
  if (events.length === 0) throw new BeachError('BAD_REQUEST', 'An append needs at least one event.')
  if (events.length > commitLimits.events) {
    throw new BeachError(
      'COMMIT_TOO_LARGE',
      `A commit holds at most ${commitLimits.events} events; this one has ${events.length}.`,
    )
  }
  const texts = events.map(encode)
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters > commitLimits.characters) {
    throw new BeachError(
      'COMMIT_TOO_LARGE',
      `A commit holds at most ${commitLimits.characters} characters of JSON; this one has ${characters}. Store large data as an artifact and refer to it.`,
    )
  }
  return texts
}

/** How long events are as JSON, of those that were encoded here. */
const lengths = new WeakMap<object, number>()

function encode(event: unknown): string {
  const text = JSON.stringify(event)
  if (typeof event === 'object' && event !== null) lengths.set(event, text.length)
  return text
}

/** How long an event is as JSON; one that was just written need not be encoded again for that. */
export function encodedLength(event: object): number {
  return lengths.get(event) ?? JSON.stringify(event).length
}
