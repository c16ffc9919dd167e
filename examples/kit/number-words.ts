const words = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** A pattern for a small number, in one group: digits, words, or “a”. */
export const numberWord = String.raw`(\d{1,3}|an?|another|couple of|${words.join('|')})`

/** The number that such words name. */
export function numberIn(text = ''): number | undefined {
  const word = text.toLowerCase()
  if (/^\d+$/.test(word)) return Number(word)
  if (/^(?:an?|another)$/.test(word)) return 1
  if (word === 'couple of') return 2
  const index = words.indexOf(word)
  return index === -1 ? undefined : index + 1
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
const noun = String.raw`(?:one|flight|hotel|option|cruise|activity|choice|offer|of (?:them|those|these))`

const place = String.raw`(${ordinals.join('|')}|1st|2nd|3rd|[4-8]th|last)`
const byOrdinal = new RegExp(
  String.raw`(?<!\bon )\b(?:the|that|your)\s+${place}\b(?:\s+${noun})?|\b${place}\s+${noun}\b`,
  'i',
)
const byNumber = new RegExp(
  String.raw`\b(?:number|no\.?|option|#)\s*(\d|one|two|three|four|five|six)\b|^\W*(\d)\W*$`,
  'i',
)

const andOrdinal = new RegExp(String.raw`\band\s+(?:the\s+)?${place}\b`, 'i')

const firstFew = /\b(?:the )?(?:first|top) (two|three|2|3)\b(?!\s*(?:nights?|days?|weeks?|people))/i

/** All of a list that a text means, such as “the first and the second”. */
export function ordinalsIn(text: string): readonly number[] {
  const count = numberIn(firstFew.exec(text)?.[1])
  if (count !== undefined) return [0, 1, 2].slice(0, count)
  const first = ordinalIn(text)
  if (first === undefined) return []
  const second = andOrdinal.exec(text)?.[1]
  const other = second === undefined ? undefined : ordinalIn(`the ${second}`)
  return other === undefined || other === first ? [first] : [first, other]
}

/** Which of a list a text means, from 0 on; -1 for the last one, undefined when it says none. */
export function ordinalIn(text: string): number | undefined {
  const [, first, second] = byOrdinal.exec(text) ?? []
  const ordinal = (first ?? second)?.toLowerCase()
  if (ordinal === 'last') return -1
  if (ordinal !== undefined) return /^\d/.test(ordinal) ? Number(ordinal[0]) - 1 : ordinals.indexOf(ordinal)
  const [, named, alone] = byNumber.exec(text) ?? []
  const number = numberIn(named ?? alone)
  return number === undefined || number === 0 ? undefined : number - 1
}
