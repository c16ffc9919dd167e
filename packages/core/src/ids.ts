const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'

// Ten bits at a time: half as many strings on the way to an id.
const pairs = Array.from(alphabet, (first) => Array.from(alphabet, (second) => first + second)).flat()

/** The bytes in base 32, in unambiguous characters (no l, o, 0, 1). */
export function encodeId(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    if (bits < 10) continue
    bits -= 10
    text += pairs[value >>> bits] ?? ''
    value &= (1 << bits) - 1
  }
  // What is left, with zeros behind it: up to nine bits, in one character or two.
  if (bits > 5) return text + (pairs[value << (10 - bits)] ?? '')
  return bits > 0 ? text + alphabet[value << (5 - bits)] : text
}

/**
 * The second in which an id is made, in six characters that sort as time does, until 2054: what is made at the same time
 * then lies side by side in an index, and not scattered over all of it.
 */
export function encodeSecond(now: number): string {
  const second = Math.max(0, Math.floor((now - firstSecond) / 1_000))
  return [25, 20, 15, 10, 5, 0].map((shift) => sorted[(second >>> shift) & 31]).join('')
}

const firstSecond = Date.UTC(2020, 0, 1)
const sorted = Array.from(alphabet).toSorted((one, other) => (one < other ? -1 : 1))

/** A part's id, `turn.step.index`: a step that runs again produces the same ids, so its parts replace the old ones. */
export function partId(turnId: string, step: number, index: number): string {
  return `${turnId}.${step}.${index}`
}

/** The turn and step that a part id names, or undefined for the id of a part that no turn produced. */
export function parsePartId(id: string): { turnId: string; step: number; index: number } | undefined {
  const match = /^(turn_[a-z0-9]+)\.(\d+)\.(\d+)$/.exec(id)
  if (match === null) return undefined
  return { turnId: match[1] ?? '', step: Number(match[2]), index: Number(match[3]) }
}
