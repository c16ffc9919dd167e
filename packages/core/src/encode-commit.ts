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
  const texts = events.map((event) => JSON.stringify(event))
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters > commitLimits.characters) {
    throw new BeachError(
      'COMMIT_TOO_LARGE',
      `A commit holds at most ${commitLimits.characters} characters of JSON; this one has ${characters}. Store large data as an artifact and refer to it.`,
    )
  }
  return texts
}
