import { contentHash } from '../json.ts'

const mark = '\uFFFE'
// An index of PostgreSQL takes 2,704 bytes; a unit of UTF-16 has up to three.
const maxUnits = 800
const startOfLong = 500

/** A key as a text that PostgreSQL takes and has an index for: without U+0000, and the end of a long one as a digest. */
export function encodeKey(key: string): string {
  const text = escapeNull(key)
  if (text.length <= maxUnits) return text
  return `${text.slice(0, startOfLong).toWellFormed()}${mark}2${contentHash(text)}`
}

/** A text that may have U+0000 in it. */
export function escapeNull(text: string): string {
  return /[\0\uFFFE]/.test(text) ? text.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`) : text
}

/** A text as it was before its null characters were escaped for PostgreSQL. */
export function unescapeNull(text: string): string {
  return text.includes(mark) ? text.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark) : text
}
