/** Numbers in [0, 1) that follow from a seed. */
export type Random = () => number

/** The generator mulberry32: small, and good enough to choose inputs. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function below(max: number, random: Random): number {
  return Math.floor(random() * max)
}

export function oneOf<Item>(items: readonly Item[], random: Random): Item {
  const found = items[below(items.length, random)]
  if (found === undefined) throw new Error('There is nothing to choose from.')
  return found
}

/** What parsers have been broken by: ends of strings, numbers at their limits, keys of prototypes, odd characters. */
const splinters = [
  '"',
  "'",
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '\n',
  '\r\n',
  '\0',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\u202e',
  '\t',
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '-1',
  '0.1e-400',
  '{}',
  '[]',
  '""',
  '"__proto__":',
  '"constructor":{"prototype":{"x":1}},',
  '"toString":1,',
  '__proto__',
  'hasOwnProperty',
  '../',
  '%00',
  '%2e%2e%2f',
  '<script>',
  '${x}',
  '\\u0000',
  '\\ud83d',
  '=?utf-8?q?=00?=',
  '&#0;',
  '<!--',
  ']]>',
  'javascript:',
  'data:text/html,',
  'file:///',
  'http://127.0.0.1/',
  '//',
  '~0~1',
  '/0/-',
  'a'.repeat(300),
  '('.repeat(60),
  '['.repeat(120),
  '{"a":'.repeat(120),
  '\r\nBcc: x@evil.example\r\n',
  'Content-Length: 1\r\n',
  '🧪'.repeat(20),
]

/** A sample with one to six small damages: pieces cut out, doubled, moved, replaced, or splinters put in. */
export function mutated(sample: string, others: readonly string[], random: Random): string {
  let text = sample
  for (let left = 1 + below(6, random); left > 0; left--) text = damaged(text, others, random)
  return text.length > 60_000 ? text.slice(0, 60_000) : text
}

function damaged(text: string, others: readonly string[], random: Random): string {
  const at = below(text.length + 1, random)
  const end = Math.min(text.length, at + 1 + below(random() < 0.8 ? 8 : 200, random))
  switch (below(8, random)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, end) + text.slice(at)
    case 2:
      return text.slice(0, at) + oneOf(splinters, random) + text.slice(at)
    case 3:
      return text.slice(0, at) + oneOf(splinters, random) + text.slice(end)
    case 4:
      return text.slice(0, at) + String.fromCharCode(below(0x1_0000, random)) + text.slice(at + 1)
    case 5:
      return text.slice(0, at)
    case 6: {
      const other = oneOf(others, random)
      const from = below(other.length, random)
      return text.slice(0, at) + other.slice(from, from + below(80, random)) + text.slice(end)
    }
    default:
      return swapped(text, random)
  }
}

/** Two values of a JSON text exchanged: what is right in itself stands in the wrong place. */
function swapped(text: string, random: Random): string {
  const values = [...text.matchAll(/"(?:[^"\\]|\\.){0,80}"|-?\d+(?:\.\d+)?|true|false|null/g)]
  if (values.length < 2) return text
  const [a, b] = [oneOf(values, random), oneOf(values, random)].toSorted((one, other) => one.index - other.index)
  if (a === undefined || b === undefined || a.index + a[0].length > b.index) return text
  const between = text.slice(a.index + a[0].length, b.index)
  return text.slice(0, a.index) + b[0] + between + a[0] + text.slice(b.index + b[0].length)
}
