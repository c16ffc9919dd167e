import { BeachError, isBeachError } from '@cool-ai/beach-core'

/** How a connection is closed: with a code, and a sentence of at most 123 bytes. */
export interface Close {
  readonly code: number
  readonly reason: string
}

/** The agent stops; another process, or this one after a restart, will be there. */
export const goingAway: Close = { code: 1001, reason: 'The agent shuts down. Connect again.' }

/** The reader has missed something, for no fault of its own. */
export const interrupted: Close = { code: 1001, reason: 'The stream was interrupted. Connect again.' }

/** The close for a client that has sent bytes in place of text. */
export const textOnly: Close = { code: 1003, reason: 'Send JSON as text.' }

/** The close for a client that reads too slowly. */
export const tooSlow: Close = { code: 1008, reason: 'A message was not completed in time. Send it in one go.' }

/** The close for a client that has sent too much. */
export const tooMuch: Close = { code: 1009, reason: 'Authenticate first, in a short message.' }

/** An error by the code that belongs to its HTTP status, so that both protocols say the same. */
export function closeOf(error: unknown): Close {
  const known = isBeachError(error)
    ? error
    : new BeachError('INTERNAL', 'Something went wrong on our side. Connect again.')
  return { code: 4_000 + known.status, reason: shortened(known.message) }
}

/** The protocol has room for 123 bytes; a character is not cut in two. */
function shortened(text: string): string {
  let short = text.slice(0, 123)
  while (Buffer.byteLength(short) > 123) short = short.slice(0, -1)
  return short.isWellFormed() ? short : short.slice(0, -1)
}
