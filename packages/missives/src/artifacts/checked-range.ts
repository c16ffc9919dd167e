import { BeachError } from '@cool-ai/beach-core'
import type { ByteRange } from '@cool-ai/beach-core/ports'

/** The range, or all of it; an error when there are no such bytes. */
export function checkedRange(range: ByteRange | undefined, sizeBytes: number): ByteRange {
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > sizeBytes) {
    throw new BeachError('BAD_REQUEST', `Of ${sizeBytes} bytes there is no range from ${start} to ${end}.`)
  }
  return { start, end }
}
