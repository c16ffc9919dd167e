const maxBreaks = 3
const maxBlanks = 40

/**
 * What cannot be seen, or looks like a space and is none: controls, zero-width and direction-changing characters, fillers,
 * halves of characters. They can make a text look like another one.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\p{Z}\u{2800}\u{3164}\u{115f}\u{1160}]/gu
const longBlank = new RegExp(`[ \\t\\n]{${maxBreaks + 1},}`, 'g')

/** The text with what cannot be seen written out, for people who decide by what they see. It is one line. */
export function visibleText(text: string): string {
  return withoutGaps(text.replace(unseen, (character) => (character === ' ' ? character : codeOf(character))))
}

/** The same with its line breaks and tabs, but for so many at once that what follows them is out of sight. */
export function visibleLines(text: string): string {
  return withoutGaps(text.replace(unseen, (character) => (/[ \t\n]/.test(character) ? character : codeOf(character))))
}

/** A value as one line of JSON in which nothing is invisible, with what exceeds `longest` counted instead of shown. */
export function visibleJson(value: unknown, longest: number): string {
  const text = visibleText(JSON.stringify(value) ?? 'undefined')
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} characters more)`
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** A gap so long that readers would not look beyond it, in words. */
function withoutGaps(text: string): string {
  return text.replace(longBlank, (gap) => {
    const breaks = gap.split('\n').length - 1
    if (breaks > maxBreaks) return `\n[${breaks} line breaks]\n`
    const blanks = gap.length - breaks
    return blanks > maxBlanks ? ` [${blanks} spaces] ` : gap
  })
}
