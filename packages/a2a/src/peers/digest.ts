import { createHash } from 'node:crypto'

/** A name for these values that cannot be guessed without all of them. */
export function digest(...values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32)
}
