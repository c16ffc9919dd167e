import type { Difference, TextPiece } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'

// Longer lists are compared place by place.
const maxCells = 1_000_000

/** Two lists side by side: what both have in the same order, and what only one of them has. */
export function aligned<Thing>(
  one: readonly Thing[],
  other: readonly Thing[],
  keyOf: (thing: Thing) => string,
): (readonly [Thing | undefined, Thing | undefined])[] {
  const [keys, others] = [one.map(keyOf), other.map(keyOf)]
  const pairs: (readonly [Thing | undefined, Thing | undefined])[] = []
  let [left, right] = [0, 0]
  for (const [at, with_] of common(keys, others)) {
    while (left < at) pairs.push([one[left++], undefined])
    while (right < with_) pairs.push([undefined, other[right++]])
    pairs.push([one[left++], other[right++]])
  }
  while (left < one.length) pairs.push([one[left++], undefined])
  while (right < other.length) pairs.push([undefined, other[right++]])
  return pairs
}

/** The places of the longest sequence that both have. */
function common(one: readonly string[], other: readonly string[]): [number, number][] {
  const width = other.length + 1
  if ((one.length + 1) * width > maxCells) {
    return one.flatMap((key, index): [number, number][] => (other[index] === key ? [[index, index]] : []))
  }
  const lengths = new Uint32Array((one.length + 1) * width)
  for (let left = one.length - 1; left >= 0; left--) {
    for (let right = other.length - 1; right >= 0; right--) {
      const longer = Math.max(lengths[(left + 1) * width + right] ?? 0, lengths[left * width + right + 1] ?? 0)
      const isSame = one[left] === other[right]
      lengths[left * width + right] = isSame ? (lengths[(left + 1) * width + right + 1] ?? 0) + 1 : longer
    }
  }
  const pairs: [number, number][] = []
  for (let left = 0, right = 0; left < one.length && right < other.length;) {
    if (one[left] === other[right]) pairs.push([left++, right++])
    else if ((lengths[(left + 1) * width + right] ?? 0) >= (lengths[left * width + right + 1] ?? 0)) left++
    else right++
  }
  return pairs
}

/**
 * The difference of two lists: what is equal is the same; of what is not, things of the same kind between two equal ones
 * have changed, and the rest was added or removed.
 */
export function differences<Thing>(
  recorded: readonly Thing[],
  replayed: readonly Thing[],
  keyOf: (thing: Thing) => string,
  kindOf: (thing: Thing) => string,
  textOf: (thing: Thing) => string | undefined = () => undefined,
): Difference<Thing>[] {
  const all: Difference<Thing>[] = []
  let gone: Thing[] = []
  let come: Thing[] = []
  const close = () => {
    for (const [one, other] of aligned(gone, come, kindOf)) all.push(differenceOf(one, other, textOf))
    gone = []
    come = []
  }
  for (const [one, other] of aligned(recorded, replayed, keyOf)) {
    if (one !== undefined && other !== undefined) {
      close()
      all.push({ change: 'same', recorded: one, replayed: other })
    } else if (one !== undefined) gone.push(one)
    else if (other !== undefined) come.push(other)
  }
  close()
  return all
}

function differenceOf<Thing>(
  one: Thing | undefined,
  other: Thing | undefined,
  textOf: (thing: Thing) => string | undefined,
): Difference<Thing> {
  if (one === undefined) return { change: 'added', replayed: other }
  if (other === undefined) return { change: 'removed', recorded: one }
  const [before, after] = [textOf(one), textOf(other)]
  const text = before === undefined || after === undefined ? undefined : textDifference(before, after)
  return { change: 'changed', recorded: one, replayed: other, ...defined({ text }) }
}

/** Two texts word by word. */
function textDifference(recorded: string, replayed: string): TextPiece[] {
  const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? []
  const pieces: { in: TextPiece['in']; text: string }[] = []
  for (const [one, other] of aligned(words(recorded), words(replayed), (word) => word)) {
    const place = one === undefined ? 'replayed' : other === undefined ? 'recorded' : 'both'
    const last = pieces.at(-1)
    if (last?.in === place) last.text += one ?? other ?? ''
    else pieces.push({ in: place, text: one ?? other ?? '' })
  }
  return pieces
}
