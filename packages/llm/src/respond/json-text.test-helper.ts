import * as fc from 'fast-check'

/** The text in pieces of these sizes, over and over: split at any UTF-16 unit, with empty pieces in between. */
export function pieces(text: string, sizes: readonly number[]): string[] {
  const found: string[] = []
  let at = 0
  for (let turn = 0; at < text.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 0)
    found.push(text.slice(at, end))
    at = end
  }
  return found
}

export const sizes = fc
  .array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 })
  .filter((found) => found.some((size) => size > 0))

/** Units that are hard to get right, among ordinary ones. */
export const hardText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom('"', '\\', '/', '\b', '\n', '\u0000', '\u2028', '😀', '\ud83d', '\ude00', 'é', '\u007f', ' '),
    ),
    { maxLength: 12 },
  )
  .map((found) => found.join(''))

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** The text as a JSON string, in which `styles` says of each unit whether to escape it, and how. */
export function quoted(text: string, styles: readonly number[]): string {
  const units = Array.from({ length: text.length }, (_, at) => {
    const unit = text.charAt(at)
    const style = styles[at % styles.length] ?? 0
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    if (style === 1) return `\\u${hex}`
    if (style === 2) return `\\u${hex.toUpperCase()}`
    const short = shortEscapes[unit]
    if (short !== undefined && (style === 3 || unit !== '/')) return short
    return unit < ' ' ? `\\u${hex}` : unit
  })
  return `"${units.join('')}"`
}

export const styles = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 5 })

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ')
const stringText = fc.tuple(hardText, styles).map(([text, how]) => quoted(text, how))
// No backslash in a key: once V8 has seen a key that is one, its JSON.parse takes escapes in keys for it (nodejs/node#63785).
const plainKey = fc.tuple(hardText, styles).map(([text, how]) => quoted(text.replaceAll('\\', '|'), how))
const keyText = fc.oneof(plainKey, fc.constantFrom('"__proto__"', '"a"', '"a"', '"\\u0061"', '"constructor"', '"0"'))
const numberText = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?$/)

/** JSON in every way of writing it: escapes, blanks, repeated keys, all forms of numbers. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => {
  const spaced = fc.tuple(space, tie('value'), space).map((found) => found.join(''))
  const member = fc
    .tuple(space, keyText, space, tie('value'), space)
    .map(([before, key, between, value, after]) => `${before}${key}${between}:${between}${value}${after}`)
  return {
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('true', 'false', 'null', '[]', '{}', '[ ]', '{\n}'),
      stringText,
      numberText,
      fc.array(spaced, { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
      fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(',')}}`),
    ),
  }
}).value

/** Text that is most often nearly JSON. */
export const brokenJsonText: fc.Arbitrary<string> = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom('cut', 'drop', 'insert', 'replace'),
    fc.constantFrom(...'{}[],:"\\u0-+.eE1tfnx/ \u0000\u00a0\ufeff'.split('')),
  )
  .map(([text, anywhere, how, unit]) => {
    const at = anywhere % (text.length + 1)
    if (how === 'cut') return text.slice(0, at)
    return text.slice(0, at) + (how === 'drop' ? '' : unit) + text.slice(how === 'insert' ? at : at + 1)
  })
  // What was part of a string may have become part of a key.
  .filter((text) => !text.includes('\\\\'))
