import { BeachError } from '@cool-ai/beach-core'

const mostCharacters = 500
const mostWords = 20
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
  if (text.length > mostCharacters) {
    throw new BeachError('BAD_REQUEST', `Search for at most ${mostCharacters} characters.`)
  }
  const words = indexed(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) throw new BeachError('BAD_REQUEST', 'There is no word to search for in that text.')
  if (words.length > mostWords) throw new BeachError('BAD_REQUEST', `Search for at most ${mostWords} words.`)
  return words
}
