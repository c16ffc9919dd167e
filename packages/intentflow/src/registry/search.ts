import { wordsOf } from '../orchestration/words.ts'
import type { FlowFilter, RegisteredFlow } from './flow-registry.ts'

/** How flows are searched. */
export interface SearchOptions {
  /** 10 when left out. */
  readonly limit?: number | undefined
  readonly filter?: FlowFilter | undefined
}

export interface FoundFlow {
  readonly intentId: string
  readonly title: string
  /** From 0 to 1. */
  readonly score: number
}

/** What of a flow is searched, and how much it counts. */
const weights = { title: 1, keywords: 1, id: 0.9, examples: 0.8, description: 0.6, category: 0.5 } as const

/** Below this two words are different words. */
const alike = 0.5

/** The flows that fit some words, the best first; words may be misspelt or incomplete. */
export function searchFlows(
  text: string,
  entries: readonly RegisteredFlow[],
  { limit = 10 }: SearchOptions,
): FoundFlow[] {
  const wanted = wordsOf(text).map(({ word }) => word)
  if (wanted.length === 0) return []
  return entries
    .map((entry) => ({ intentId: entry.flow.intentId, title: entry.flow.meta.title, score: scoreOf(wanted, entry) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.intentId < b.intentId ? -1 : 1))
    .slice(0, limit)
}

/** How well a flow fits: the mean over the wanted words of the best place that has each. */
function scoreOf(wanted: readonly string[], { flow, intent }: RegisteredFlow): number {
  const places: readonly [string, number][] = [
    [flow.meta.title, weights.title],
    [(intent?.keywords ?? []).join(' '), weights.keywords],
    [flow.intentId, weights.id],
    [[...flow.meta.examples, ...(intent?.examples ?? [])].join(' '), weights.examples],
    [flow.meta.description, weights.description],
    [flow.meta.category ?? '', weights.category],
  ]
  const known = places.map(([text, weight]) => ({ words: wordsOf(text).map(({ word }) => word), weight }))
  const sum = wanted.reduce(
    (total, word) => total + Math.max(...known.map(({ words, weight }) => weight * bestMatch(word, words))),
    0,
  )
  return sum / wanted.length
}

function bestMatch(word: string, words: readonly string[]): number {
  return Math.max(0, ...words.map((each) => likeness(word, each)))
}

function likeness(a: string, b: string): number {
  if (a === b) return 1
  if (a.length > 2 && b.startsWith(a)) return 0.9
  const score = sharedPairs(a, b)
  return score >= alike ? score * 0.9 : 0
}

/** The share of pairs of letters that two words have in common (Dice). */
function sharedPairs(a: string, b: string): number {
  const rest = pairsOf(b)
  const all = rest.length
  const pairs = pairsOf(a)
  let shared = 0
  for (const pair of pairs) {
    const at = rest.indexOf(pair)
    if (at === -1) continue
    rest.splice(at, 1)
    shared++
  }
  return pairs.length + all === 0 ? 0 : (2 * shared) / (pairs.length + all)
}

function pairsOf(word: string): string[] {
  return Array.from({ length: Math.max(0, word.length - 1) }, (_, index) => word.slice(index, index + 2))
}
