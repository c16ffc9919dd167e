import { isSmall, wordsOf, type Word } from './words.ts'

/** What is known of an intent by which it is recognised. */
export interface KnownIntent {
  readonly intentId: string
  readonly examples: readonly string[]
  readonly keywords: readonly string[]
  /** True when it takes words that nobody can know beforehand, such as names. */
  readonly open: boolean
}

export interface Scored {
  readonly intentId: string
  /** From 0 to 1. */
  readonly confidence: number
}

const keywordSays = 0.75
const phraseSays = 0.9
const leastAlike = 0.35
const smallWeighs = 0.15
const unknownWeighs = 0.5

interface Prepared {
  readonly intent: KnownIntent
  readonly examples: readonly (readonly Word[])[]
  readonly keywords: readonly (readonly Word[])[]
}

/**
 * How well a text fits each of some intents, by their examples and keywords alone. A word weighs the more the fewer
 * intents know it.
 */
export function scorer(intents: readonly KnownIntent[]): (text: string) => Scored[] {
  const prepared = intents.map((intent): Prepared => ({
    intent,
    // The places of an example, as {item}, stand for whatever is said there.
    examples: intent.examples.map((example) => wordsOf(example.replaceAll(/\{[^}]*\}/g, ' '))),
    keywords: intent.keywords.map((keyword) => wordsOf(keyword)).filter(({ length }) => length > 0),
  }))
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

/** Which words the intents know, and how much each says. */
interface Vocabulary {
  knows(word: Word): boolean
  weigh(word: Word): number
}

function fits(
  { intent, examples, keywords }: Prepared,
  words: readonly Word[],
  vocabulary: Vocabulary,
  all: readonly Prepared[],
): number {
  if (words.length === 0) return 0
  const alike = Math.max(0, ...examples.map((example) => likeness(words, example, vocabulary, intent.open)))
  if (alike >= 0.999) return 1
  const explained = coverage(words, { examples, keywords }, vocabulary, intent.open)
  const doubts = keywords
    .filter((keyword) => contains(words, keyword))
    .map((keyword) => {
      const shared = all.filter((other) => other.keywords.some((one) => sameRun(one, keyword))).length
      const says = keyword.length > 1 ? phraseSays : keywordSays
      return 1 - (says / shared) * (0.4 + 0.6 * explained)
    })
  const doubt = doubts.reduce((product, one) => product * one, alike < leastAlike ? 1 : 1 - alike)
  return Math.round((1 - doubt) * 1_000) / 1_000
}

/** How much two runs of words have in common, by weight: 1 when they are the same. */
function likeness(words: readonly Word[], example: readonly Word[], vocabulary: Vocabulary, open: boolean): number {
  const { weigh, knows } = vocabulary
  const said = new Map(words.map((word) => [word.stem, word]))
  const wanted = new Map(example.map((word) => [word.stem, word]))
  let common = 0
  let all = 0
  for (const [stem, word] of wanted) {
    all += weigh(word)
    if (said.has(stem)) common += weigh(word)
  }
  for (const [stem, word] of said) {
    if (wanted.has(stem)) all += weigh(word)
    else if (!open || knows(word) || isSmall(word)) all += weigh(word)
  }
  return all === 0 ? 0 : (2 * common) / all
}

/** How much of what was said has to do with an intent. */
function coverage(
  words: readonly Word[],
  { examples, keywords }: Pick<Prepared, 'examples' | 'keywords'>,
  vocabulary: Vocabulary,
  open: boolean,
): number {
  const own = new Set([...examples, ...keywords].flat().map(({ stem }) => stem))
  let covered = 0
  let all = 0
  for (const word of words) {
    const weight = vocabulary.weigh(word)
    all += weight
    if (own.has(word.stem) || isSmall(word) || (open && !vocabulary.knows(word))) covered += weight
  }
  return all === 0 ? 0 : covered / all
}

function vocabularyOf(prepared: readonly Prepared[]): Vocabulary {
  const knownBy = new Map<string, number>()
  for (const { examples, keywords } of prepared) {
    for (const stem of new Set([...examples, ...keywords].flat().map((word) => word.stem))) {
      knownBy.set(stem, (knownBy.get(stem) ?? 0) + 1)
    }
  }
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
