import { must, type Check } from './check.ts'

// What a page would run, or read from the reader's own machine.
const unsafe = /^(?:javascript|vbscript|data|file|blob|filesystem):/i
const uri = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i

/** A complete address that is safe to open. */
export const isAddress: Check = must(
  (value) => typeof value === 'string' && uri.test(value) && !unsafe.test(value),
  'a complete address, such as https://example.com/page',
)

const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`
const isoTime = new RegExp(`^(?:${date}(?:[T ]${time})?|${time})$`, 'i')

/** True for a date, a time, or both, as ISO 8601 writes them. */
export function isIsoTime(text: string): boolean {
  return isoTime.test(text)
}
