import { isSmall, wordsOf, type Word } from './words.ts'

/** What is known of an intent by which it is recognised. */
export interface KnownIntent {
  readonly intentId: string
  readonly examples: readonly string[]
  readonly keywords: readonly string[]
  /** Words for the values that it takes: they stand in the places of its examples. */
  readonly values: readonly string[]
  /** True when it takes words that cannot be known beforehand, such as names. */
  readonly open: boolean
}

export interface Scored {
  readonly intentId: string
  /** From 0 to 1. */
  readonly confidence: number
}

const keywordSays = 0.75
const phraseSays = 0.9
const minSimilarity = 0.35
const smallWeighs = 0.15
const unknownWeighs = 0.7
const vagueSays = 0.85

interface Prepared {
  readonly intent: KnownIntent
  readonly examples: readonly (readonly Word[])[]
  readonly keywords: readonly (readonly Word[])[]
  /** The stems of all words of both. */
  readonly own: ReadonlySet<string>
  readonly values: ReadonlySet<string>
}

/**
 * How well a text fits each of some intents, by their examples and keywords alone. A word weighs the more the fewer
 * intents know it.
 */
export function scorer(intents: readonly KnownIntent[]): (text: string) => Scored[] {
  const prepared = intents.map(prepare)
  const vocabulary = vocabularyOf(prepared)
  return (text) => {
    const words = wordsOf(text)
    const scored = prepared.map((one) => ({
      intentId: one.intent.intentId,
      confidence: fits(one, words, vocabulary, prepared),
    }))
    return scored.filter(({ confidence }) => confidence > 0).toSorted((one, other) => other.confidence - one.confidence)
  }
}

function prepare(intent: KnownIntent): Prepared {
  // The places of an example, as {item}, stand for whatever is said there.
  const examples = intent.examples.map((example) => wordsOf(example.replaceAll(/\{[^}]*\}/g, ' ')))
  const keywords = intent.keywords.map((keyword) => wordsOf(keyword)).filter(({ length }) => length > 0)
  return {
    intent,
    examples,
    keywords,
    own: stems([...examples, ...keywords]),
    values: stems(intent.values.map(wordsOf)),
  }
}

function stems(runs: readonly (readonly Word[])[]): Set<string> {
  return new Set(runs.flat().map(({ stem }) => stem))
}

/** Which words the intents know, and how much each says. */
interface Vocabulary {
  readonly knows: (word: Word) => boolean
  readonly weigh: (word: Word) => number
}

function fits(prepared: Prepared, words: readonly Word[], vocabulary: Vocabulary, all: readonly Prepared[]): number {
  if (words.length === 0) return 0
  const { examples, keywords } = prepared
  const alike = Math.max(0, ...examples.map((example) => likeness(words, example, prepared, vocabulary)))
  if (alike >= 0.999) return 1
  const explained = coverage(words, prepared, vocabulary)
  const doubts = keywords
    .filter((keyword) => contains(words, keyword))
    .map((keyword) => {
      const shared = all.filter((other) => other.keywords.some((one) => sameRun(one, keyword))).length
      const says = keyword.length > 1 ? phraseSays : keywordSays
      return 1 - (says / shared) * (0.4 + 0.6 * explained)
    })
  const doubt = doubts.reduce((product, one) => product * one, alike < minSimilarity ? 1 : 1 - alike)
  return Math.round((1 - doubt) * 1_000) / 1_000
}

/** True for a word that can be a value, though no intent has it in its examples. */
function isUnknownWord(word: Word, { intent }: Prepared, { knows }: Vocabulary): boolean {
  return intent.open && !knows(word) && !isSmall(word)
}

/** How much a text and an example have in common, by weight: 1 when they are the same but for values. */
function likeness(
  words: readonly Word[],
  example: readonly Word[],
  prepared: Prepared,
  vocabulary: Vocabulary,
): number {
  const { weigh } = vocabulary
  const said = new Map(words.map((word) => [word.stem, word]))
  const wanted = new Map(example.map((word) => [word.stem, word]))
  let common = 0
  let all = 0
  let hasUnknownWord = false
  for (const [stem, word] of wanted) {
    all += weigh(word)
    if (said.has(stem)) common += weigh(word)
  }
  for (const [stem, word] of said) {
    if (wanted.has(stem)) all += weigh(word)
    else if (isUnknownWord(word, prepared, vocabulary)) hasUnknownWord = true
    else if (!prepared.values.has(stem)) all += weigh(word)
  }
  const alike = all === 0 ? 0 : (2 * common) / all
  // "I want a …" can go on with anything.
  return hasUnknownWord && example.every(isSmall) ? Math.min(alike, vagueSays) : alike
}

/** How much of what was said has to do with an intent. */
function coverage(words: readonly Word[], prepared: Prepared, vocabulary: Vocabulary): number {
  const { own, values } = prepared
  let covered = 0
  let all = 0
  for (const word of words) {
    const weight = vocabulary.weigh(word)
    all += weight
    const isOwn = own.has(word.stem) || values.has(word.stem) || isSmall(word)
    if (isOwn || isUnknownWord(word, prepared, vocabulary)) covered += weight
  }
  return all === 0 ? 0 : covered / all
}

function vocabularyOf(prepared: readonly Prepared[]): Vocabulary {
  const knownBy = new Map<string, number>()
  for (const { own } of prepared) for (const stem of own) knownBy.set(stem, (knownBy.get(stem) ?? 0) + 1)
  return {
    knows: ({ stem }) => knownBy.has(stem),
    weigh(word) {
      if (isSmall(word)) return smallWeighs
      const by = knownBy.get(word.stem)
      return by === undefined ? unknownWeighs : 1 / Math.sqrt(by)
    },
  }
}

function contains(words: readonly Word[], run: readonly Word[]): boolean {
  return words.some((_, at) => run.every(({ stem }, index) => words[at + index]?.stem === stem))
}

function sameRun(one: readonly Word[], other: readonly Word[]): boolean {
  return one.length === other.length && one.every(({ stem }, index) => stem === other[index]?.stem)
}
