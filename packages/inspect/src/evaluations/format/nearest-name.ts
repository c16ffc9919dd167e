/** The name among these that was most likely meant; undefined when none is near. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names.map((name) => ({ name, away: distance(given.toLowerCase(), name.toLowerCase()) }))
  const best = near.reduce<(typeof near)[number] | undefined>(
    (least, one) => (least === undefined || one.away < least.away ? one : least),
    undefined,
  )
  return best !== undefined && best.away <= Math.max(2, Math.ceil(best.name.length / 2)) ? best.name : undefined
}

/** How many letters must be added, removed, changed or swapped with the next one. */
function distance(one: string, other: string): number {
  const text = one.slice(0, 40)
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= text.length; row++) {
    const now = [row]
    for (let column = 1; column <= other.length; column++) {
      const isEqual = text[row - 1] === other[column - 1]
      const isSwapped = text[row - 1] === other[column - 2] && text[row - 2] === other[column - 1]
      const steps = [(last[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (isEqual ? 0 : 1)]
      if (isSwapped && row > 1 && column > 1) steps.push((before[column - 2] ?? 0) + 1)
      now.push(Math.min(...steps))
    }
    ;[before, last] = [last, now]
  }
  return last[other.length] ?? 0
}
