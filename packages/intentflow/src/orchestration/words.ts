export interface Word {
  /** In lower case, without accents. */
  readonly word: string
  /** Without the ending of a plural, so that "lattes" is "latte". */
  readonly stem: string
  /** Where it stands in the text. */
  readonly start: number
  readonly end: number
  /** True when a comma or the like stands before it. */
  readonly apart: boolean
}

const maxWords = 200

/** The words of a text, in order; of a very long one the first. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let before = 0
  for (const { 0: raw, index } of text.matchAll(
    /(?:(?<=^|\s)[-−](?=\d))?[\p{L}\p{N}]+(?:[’'][\p{L}]+)*(?:[.,]\d+)?/gu,
  )) {
    const word = plain(raw)
    const apart = words.length > 0 && /[,;.!?:\n]/.test(text.slice(before, index))
    words.push({ word, stem: stemOf(word), start: index, end: index + raw.length, apart })
    before = index + raw.length
    if (words.length === maxWords) break
  }
  return words
}

/** What a run of words was, as it was written. */
export function slice(text: string, words: readonly Word[]): string {
  const [first] = words
  const last = words.at(-1)
  return first === undefined || last === undefined ? '' : text.slice(first.start, last.end)
}

/** Two texts that come to the same say the same. */
export function sameWords(text: string): string {
  return wordsOf(text)
    .map(({ stem }) => stem)
    .join(' ')
}

function plain(raw: string): string {
  return raw
    .normalize('NFD')
    .replaceAll(/[\p{M}’']/gu, '')
    .toLowerCase()
}

function stemOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  return /(?:ss|x|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

const counted = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const others = { both: 2, couple: 2, pair: 2, dozen: 12, once: 1, twice: 2 }
const numbers: Readonly<Record<string, number>> = {
  ...Object.fromEntries(counted.map((word, number) => [word, number])),
  ...others,
}

/** The number that a word is, in figures or in letters. */
export function numberOf({ word }: Pick<Word, 'word'>): number | undefined {
  if (/^[-−]?\d+(?:[.,]\d+)?$/.test(word)) return Number(word.replace(',', '.').replace('−', '-'))
  return Object.hasOwn(numbers, word) ? numbers[word] : undefined
}

/** The number that an article stands for, when nothing else says how many. */
export function articleNumber({ word }: Pick<Word, 'word'>): number | undefined {
  return word === 'a' || word === 'an' || word === 'another' ? 1 : undefined
}

/** Which of a list is meant by these words, if they say nothing else: "the second one", "number 2", "2". */
export function ordinalOf(words: readonly Word[], length: number): number | undefined {
  const [only, ...more] = words.filter(({ word }) => !['the', 'number', 'option', 'no', 'one', 'please'].includes(word))
  if (only === undefined || more.length > 0) return undefined
  if (only.word === 'last') return length - 1
  const place = ordinals.indexOf(only.word)
  const number = place === -1 ? numberOf(only) : place + 1
  return number !== undefined && Number.isInteger(number) && number >= 1 && number <= length ? number - 1 : undefined
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']

/** Words that say little by themselves. */
const small: ReadonlySet<string> = new Set(
  (
    'a an the my your our his her their this that these those it its i im id me we us you he she they ' +
    'is are was were be am do does did have has had can could would will shall should may might must ' +
    'to of in on at for from with by and or but so as if then than too also just only now ' +
    'please thanks thank hi hello hey ok okay yes no not some any get got give want like need let lets ' +
    'what whats which who when how there here up out about into'
  ).split(' '),
)

export function isSmall({ word }: Pick<Word, 'word'>): boolean {
  return small.has(word)
}
