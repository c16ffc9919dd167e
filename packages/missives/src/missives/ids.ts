import { createHash } from 'node:crypto'
import { encodeId } from '@cool-ai/beach-core/runtime'

/** An id that follows from what it names: made again from the log, it is the same. */
export function derivedId(prefix: string, ...names: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest()
  return `${prefix}_${encodeId(digest.subarray(0, 16))}`
}
