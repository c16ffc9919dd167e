import type { ByteRange } from '@cool-ai/beach-core/ports'

/**
 * What a `Range` header asks of so many bytes: undefined for all of them, which is also the answer to several ranges and
 * to what is not understood; `unsatisfiable` when none of the bytes it asks for exist.
 */
export function parseRange(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), sizeBytes)
  const start = Number(first)
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes)
  if (last !== '' && Number(last) < start) return undefined
  return start < sizeBytes ? { start, end } : 'unsatisfiable'
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable'
  return { start: Math.max(sizeBytes - count, 0), end: sizeBytes }
}
