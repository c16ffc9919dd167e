/** One round of a measurement: the same work done by Beach and by the bare program it is compared with. */
export interface Round {
  readonly beach: number
  readonly bare: number
}

/** A line of the table. The ratio is always Beach : bare. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly rounds: readonly Round[]
  readonly goal?: string
}

/** How long to measure; a quick run only shows that everything works. */
export interface BenchOptions {
  readonly quick: boolean
}

/**
 * The figures of several parts: one after the other, so that none disturbs another's; in a quick run, which judges
 * nothing, some of them at once.
 */
export async function partsOf<Part>(
  { quick }: BenchOptions,
  parts: readonly Part[],
  measure: (part: Part) => Promise<readonly Figure[]>,
): Promise<Figure[]> {
  const measured: (readonly Figure[])[] = []
  const left = parts.entries()
  const measureNext = async () => {
    for (const [index, part] of left) measured[index] = await measure(part)
  }
  await Promise.all(Array.from({ length: quick ? 3 : 1 }, measureNext))
  return measured.flat()
}

/** The value below which the given share of all values lies; the middle one by default. */
export function percentile(values: readonly number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Milliseconds on a clock that all processes of this machine share, finer than `Date.now`. */
export function machineTime(): number {
  return performance.timeOrigin + performance.now()
}

/** Both sides do a share of the work in every round, and take turns in going first. */
export async function interleave<Result>(
  rounds: number,
  beach: () => Promise<Result>,
  bare: () => Promise<Result>,
): Promise<{ beach: Result; bare: Result }[]> {
  const results: { beach: Result; bare: Result }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) results.push({ beach: await beach(), bare: await bare() })
    else {
      const first = await bare()
      results.push({ beach: await beach(), bare: first })
    }
  }
  return results
}

/** The figures as a plain table: medians of all rounds, and how far the rounds' ratios lie apart. */
export function table(figures: readonly Figure[]): string {
  const header = ['figure', 'unit', 'Beach', 'bare', 'ratio', 'lowest', 'highest', 'goal']
  const rows = figures.map(({ name, unit, rounds, goal }) => {
    const ratios = rounds.map(({ beach, bare }) => beach / bare)
    const medians = [rounds.map((round) => round.beach), rounds.map((round) => round.bare), ratios].map((values) =>
      percentile(values),
    )
    return [name, unit, ...[...medians, Math.min(...ratios), Math.max(...ratios)].map(rounded), goal ?? '']
  })
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function pad(cell: string, width: number, column: number): string {
  return column < 2 ? cell.padEnd(width) : cell.padStart(width)
}

function rounded(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toPrecision(3)
}
