import type { MissiveCodec } from '../missives/missive-codec.ts'
import { scopeOf } from '../missives/missive-row.ts'

// A lexeme takes 2,046 bytes, of which a unit of UTF-16 needs up to three.
const maxUnits = 600
// A tsvector takes 1 MB.
const maxWordsBytes = 500_000

/** The words of a text, and one that stands for its tenant, with spaces between them. */
export function lexemesOf(tenant: string, text: string, codec: MissiveCodec): string {
  const words = new Set<string>()
  let bytes = 0
  for (const word of codec.words(text).map(cut)) {
    if (words.has(word)) continue
    bytes += Buffer.byteLength(word)
    if (bytes > maxWordsBytes) break
    words.add(word)
  }
  return words.size === 0 ? '' : [scopeLexeme(tenant), ...words].join(' ')
}

/** A query for texts of a tenant that have all these words, each as the beginning of one. */
export function tsqueryOf(tenant: string, words: readonly string[], codec: MissiveCodec): string {
  const end = codec.findsBeginnings ? ':*' : ''
  const wanted = words.flatMap((word) => codec.words(word)).map((word) => `'${cut(word)}'${end}`)
  return [`'${scopeLexeme(tenant)}'`, ...wanted].join(' & ')
}

/** No word has such a sign in it. */
function scopeLexeme(tenant: string): string {
  return `=${scopeOf(tenant)}`
}

function cut(word: string): string {
  return word.length > maxUnits ? word.slice(0, maxUnits).toWellFormed() : word
}
