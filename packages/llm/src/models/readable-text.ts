/**
 * Characters that a reader does not see: format controls, tags, variation selectors, zero-width and direction marks,
 * fillers, and control characters other than tab and line breaks. A model reads them, so they can carry hidden words.
 */
const unseen =
  // oxlint-disable-next-line no-control-regex
  /[\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/u
const unseenRun = new RegExp(`${unseen.source}+`, 'gu')
const ascii = /^[\t\n\r\u0020-\u007e]*$/

const joiner = '\u200D'
const nonJoiner = '\u200C'
const emojiStyle = '\uFE0F'
const textStyle = '\uFE0E'

/** Scripts that are written with joiners: a word without them is another word, or none. */
const joiningScript =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]$/u
const inJoiningScript = new RegExp(`^${joiningScript.source.slice(0, -1)}`, 'u')
const mongolianLetter = /\p{Script=Mongolian}$/u
/** A picture, with its skin tone if it has one. */
const picture = /\p{Extended_Pictographic}\p{Emoji_Modifier}?$/u
const styled = /\p{Emoji}$/u
const nextPicture = /^\p{Extended_Pictographic}/u
/** The flags of England, Scotland and Wales are a black flag with tags: no other tags are shown by anything. */
const blackFlag = '\u{1F3F4}'
const subdivisions: ReadonlySet<string> = new Set(['gbeng', 'gbsct', 'gbwls'].map(tagged))

/**
 * The text without what a reader would not see. Characters that a script or an emoji needs stay: joiners between
 * letters that need them, the style of an emoji, the sequences that emoji are made of.
 */
export function readableText(text: string): string {
  if (ascii.test(text)) return text
  const whole = text.toWellFormed()
  if (!unseen.test(whole)) return whole
  return whole.replaceAll(unseenRun, (run: string, at: number) => {
    return keptOf(run, whole.slice(Math.max(0, at - 4), at), whole.slice(at + run.length, at + run.length + 2))
  })
}

/** The unseen characters of a run that belong to the characters around it. */
function keptOf(run: string, before: string, after: string): string {
  if (before.endsWith(blackFlag) && subdivisions.has(run)) return run
  const style = run[0] === emojiStyle || run[0] === textStyle ? run[0] : ''
  if (style !== '' && styled.test(before)) {
    const rest = run.slice(1)
    if (rest === '') return style
    return rest === joiner && picture.test(before) && nextPicture.test(after) ? run : style
  }
  if (run === joiner && picture.test(before) && nextPicture.test(after)) return run
  if (run === joiner && joiningScript.test(before)) return run
  if (run === nonJoiner && joiningScript.test(before) && inJoiningScript.test(after)) return run
  return run.length === 1 && run >= '\u180B' && run <= '\u180F' && mongolianLetter.test(before) ? run : ''
}

function tagged(name: string): string {
  return String.fromCodePoint(...Array.from(name, (letter) => 0xe_00_00 + (letter.codePointAt(0) ?? 0)), 0xe_00_7f)
}

/** A JSON value with every text in it readable, its keys too; the same value when nothing had to go. */
export function readableValue(value: unknown): unknown {
  if (typeof value === 'string') return readableText(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof URL) return value
  if (Array.isArray(value)) {
    const items = value.map(readableValue)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value)
  const cleaned = entries.map(([key, entry]) => [readableText(key), readableValue(entry)] as const)
  const isSame = cleaned.every(([key, entry], index) => key === entries[index]?.[0] && entry === entries[index]?.[1])
  return isSame ? value : Object.fromEntries(cleaned)
}
