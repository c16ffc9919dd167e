/** The name of the list that was most likely meant; undefined where none is near. */
export function nearest(wrong: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, steps: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(1, Math.floor(Math.max(name.length, wrong.length) / 3)))
  return near.toSorted((one, other) => one.steps - other.steps)[0]?.name
}

/** How many letters have to be added, removed, replaced or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      const steps = [(next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isSwapped) steps.push((before[j - 2] ?? 0) + 1)
      next.push(Math.min(...steps))
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
