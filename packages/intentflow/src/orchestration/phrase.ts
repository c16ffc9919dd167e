import { articleNumber, numberOf, slice, wordsOf, type Word } from './words.ts'

/** What a phrase found: the words in its places, and numbers in places for numbers. */
export type Found = Readonly<Record<string, string | number>>

type Piece =
  | { readonly kind: 'words'; readonly any: readonly (readonly Word[])[]; readonly optional: boolean }
  | { readonly kind: 'text' | 'number'; readonly name: string }

/**
 * A way to say something: words, `(one|another way)`, `[words|that may be left out]`, `{place}` for any words and
 * `{place:number}` for a number, in figures or letters.
 */
export interface Phrase {
  readonly source: string
  readonly pieces: readonly Piece[]
}

const grammar = /\(([^()[\]{}]*)\)|\[([^()[\]{}]*)\]|\{(\w+)(?::(number|text))?\}|([^()[\]{}\s]+)/g

/** Reads a phrase; what is no phrase is an error, since definitions are made when a program starts. */
export function phraseOf(source: string): Phrase {
  const left = source.replaceAll(grammar, '').trim()
  if (left !== '' || source.trim() === '') {
    throw new TypeError(`'${source}' is no phrase: use words, (this|that), [this] and {place} or {place:number}.`)
  }
  const pieces = [...source.matchAll(grammar)].flatMap(([, any, maybe, name, type, word]): Piece[] => {
    if (name !== undefined) return [{ kind: type === 'number' ? 'number' : 'text', name }]
    const choices = (any ?? maybe ?? word ?? '').split('|').map((choice) => wordsOf(choice))
    return [{ kind: 'words', any: choices.filter(({ length }) => length > 0), optional: maybe !== undefined }]
  })
  return { source, pieces }
}

/** What a text has in the places of a phrase; undefined when it says something else. */
export function readPhrase(phrase: Phrase, text: string): Found | undefined {
  const words = wordsOf(text)
  return read(phrase.pieces, trimmed(words), text) ?? read(phrase.pieces, words, text)
}

function read(pieces: readonly Piece[], words: readonly Word[], text: string): Found | undefined {
  const [piece, ...rest] = pieces
  if (piece === undefined) return words.length === 0 ? {} : undefined
  if (piece.kind === 'words') return readWords(piece, rest, words, text)
  if (piece.kind === 'number') {
    const number = words[0] && (numberOf(words[0]) ?? articleNumber(words[0]))
    const after = number === undefined ? undefined : read(rest, words.slice(1), text)
    return after && number !== undefined ? { [piece.name]: number, ...after } : undefined
  }
  for (let length = 1; length <= words.length; length++) {
    const after = read(rest, words.slice(length), text)
    if (after !== undefined) return { [piece.name]: slice(text, words.slice(0, length)), ...after }
  }
  return undefined
}

function readWords(
  piece: Extract<Piece, { kind: 'words' }>,
  rest: readonly Piece[],
  words: readonly Word[],
  text: string,
): Found | undefined {
  for (const choice of piece.any) {
    if (!choice.every(({ stem }, at) => words[at]?.stem === stem)) continue
    const after = read(rest, words.slice(choice.length), text)
    if (after !== undefined) return after
  }
  return piece.optional ? read(rest, words, text) : undefined
}

/** Words around what is said that change nothing about it. */
const around: ReadonlySet<string> = new Set(
  'please ok okay so well actually just then oh um er hm hey hi thanks thank you can could would now instead'.split(
    ' ',
  ),
)

/** What is said, without the words around it; all of it when there is nothing else. */
function trimmed(words: readonly Word[]): readonly Word[] {
  const from = words.findIndex(({ word }) => !around.has(word))
  const to = words.findLastIndex(({ word }) => !around.has(word))
  return from === -1 ? words : words.slice(from, to + 1)
}
