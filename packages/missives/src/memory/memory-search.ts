import { indexed, plainWords, wordsIn } from '../missives/missive-parts.ts'
import type { Memory } from './memory-state.ts'

/**
 * Entries that have any of the words, each as the beginning of a word, those with the most of them first and newer ones
 * before older ones. A person has few entries, so they are compared here and not in an index that would lag behind.
 */
export function bestFirst(entries: readonly Memory[], text: string | undefined): readonly Memory[] {
  const newest = entries.toReversed()
  if (text === undefined || text.trim() === '') return newest
  const wanted = [...new Set(wordsIn(text).flatMap(plainWords))]
  return newest
    .map((entry) => ({ entry, hits: hitsIn(entry, wanted) }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits)
    .map(({ entry }) => entry)
}

function hitsIn(entry: Memory, wanted: readonly string[]): number {
  const words = plainWords(indexed(entry.text))
  return wanted.filter((one) => words.some((word) => word.startsWith(one))).length
}
