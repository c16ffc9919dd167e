/** How a text is sent: each segment costs money. */
export interface Segments {
  readonly encoding: 'GSM-7' | 'UCS-2'
  /** Septets, or UTF-16 units. */
  readonly units: number
  readonly segments: number
}

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extension = '\f^{}\\[~]|€'
const septets: ReadonlyMap<string, number> = new Map([
  ...Array.from(basic, (character) => [character, 1] as const),
  ...Array.from(extension, (character) => [character, 2] as const),
])

/** A single segment holds more than one of several: those carry a header. */
const room = { 'GSM-7': { alone: 160, each: 153 }, 'UCS-2': { alone: 70, each: 67 } } as const

/** Characters that the GSM alphabet has in another shape: one of them would make a text more than twice as long. */
const shapes: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2022': '-',
  '\u2026': '...',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\t': ' ',
  '`': "'",
}

/** The text with typographic characters in the shapes that the GSM alphabet has. */
export function plainShapes(text: string): string {
  return Array.from(text, (character) => shapes[character] ?? character).join('')
}

/** The segments of a text. A character of two units is never cut in two, nor is one of the extension table. */
export function segmentsOf(text: string): Segments {
  const sizes: number[] = []
  let isGsm = true
  for (const character of text) {
    const size = septets.get(character)
    if (size === undefined) isGsm = false
    sizes.push(size ?? 0)
  }
  const encoding = isGsm ? 'GSM-7' : 'UCS-2'
  const units = isGsm ? sizes : Array.from(text, (character) => character.length)
  const total = units.reduce((sum, size) => sum + size, 0)
  const { alone, each } = room[encoding]
  if (total <= alone) return { encoding, units: total, segments: total === 0 ? 0 : 1 }
  let segments = 1
  let used = 0
  for (const size of units) {
    if (used + size > each) {
      segments++
      used = 0
    }
    used += size
  }
  return { encoding, units: total, segments }
}

/**
 * The longest beginning of a text, up to the end of a word or of a line, that has at most so many segments together with
 * what follows it.
 */
export function fitSegments(text: string, after: string, max: number, unit: 'word' | 'line' = 'word'): string {
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (segmentsOf(text.slice(0, middle) + after).segments <= max) low = middle
    else high = middle - 1
  }
  const cut = text.slice(0, low)
  const border = unit === 'line' ? cut.lastIndexOf('\n') : cut.search(/\s\S*$/)
  const whole = low === text.length || border < cut.length / 2 ? cut : cut.slice(0, border)
  return whole.replace(/[\uD800-\uDBFF]$/, '').trimEnd() + after
}
