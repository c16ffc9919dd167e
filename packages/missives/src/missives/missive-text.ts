import { BeachError, type Part } from '@cool-ai/beach-core'

const maxCharacters = 20_000
/** Parts that are not worth searching, or repeat another part. */
const unread: ReadonlySet<string> = new Set([
  'a2ui-surface',
  'a2ui-action',
  'llm-context',
  'reasoning-trace',
  'setState',
])

/** What a message says in words: for searching, and for tools. A change raises the version of `missiveSchema`. */
export function textOf(parts: readonly Part[]): string {
  const pieces: string[] = []
  let room = maxCharacters
  const add = (piece: string) => {
    if (room <= 0 || piece.trim() === '') return
    pieces.push(piece.slice(0, room))
    room -= piece.length + 1
  }
  for (const { text, data, metadata } of parts) {
    if (unread.has(metadata.partType)) continue
    if (text !== undefined) add(text)
    else if (metadata.partType === 'artifact') add(nameOf(data))
    else for (const word of textsIn(data)) add(word)
  }
  return pieces.join('\n')
}

function nameOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('name' in data)) return ''
  return typeof data.name === 'string' ? data.name : ''
}

/** The texts in some data, however deep: what people would recognise it by. */
function* textsIn(data: unknown, depth = 0): Generator<string> {
  if (typeof data === 'string') yield data
  else if (typeof data === 'object' && data !== null && depth < 20) {
    for (const value of Object.values(data)) yield* textsIn(value, depth + 1)
  }
}

const maxSearched = 500
const maxWords = 20
/** Scripts that are written without spaces: each of their characters counts as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

/** A text as the index keeps it. A change raises the version of `missiveSchema`. */
export function indexed(text: string): string {
  return text.normalize('NFKC').replaceAll('\0', ' ').replaceAll(unspaced, ' $& ')
}

/**
 * Words to look for, each as the beginning of a word. Whatever else is in the text is no language that we speak: signs
 * only part words.
 */
export function wordsIn(text: string): string[] {
  if (text.length > maxSearched) {
    throw new BeachError('BAD_REQUEST', `Search for at most ${maxSearched} characters.`)
  }
  const words = indexed(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) throw new BeachError('BAD_REQUEST', 'There is no word to search for in that text.')
  if (words.length > maxWords) throw new BeachError('BAD_REQUEST', `Search for at most ${maxWords} words.`)
  return words
}
