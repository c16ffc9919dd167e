import { readFile, writeFile } from 'node:fs/promises'
import { percentile, type Figure } from './measure.ts'

/** The ratio Beach : bare of each figure, by the figure's name. */
export type Ratios = Readonly<Record<string, number>>

/** A ratio that grew by more than the allowed share. */
export interface Loss {
  readonly name: string
  readonly held: number
  readonly now: number
}

const file = new URL('held-ratios.json', import.meta.url)

/** How much a ratio may grow before the check fails. */
const ALLOWED = 1.15

export async function heldRatios(): Promise<Ratios> {
  const ratios = JSON.parse(await readFile(file, 'utf8')) as Ratios
  return ratios
}

export async function holdRatios(ratios: Ratios): Promise<void> {
  const rounded = Object.entries(ratios).map(([name, ratio]) => [name, Number(ratio.toFixed(2))])
  await writeFile(file, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
}

/** The median ratio of each figure of CPU time: time by the clock depends on what else the machine does. */
export function ratiosOf(figures: readonly Figure[]): Ratios {
  const ofCpu = figures.filter(({ name }) => name.includes('CPU of'))
  return Object.fromEntries(
    ofCpu.map(({ name, rounds }) => [name, percentile(rounds.map(({ beach, bare }) => beach / bare))]),
  )
}

/** The ratio of each figure that has the given share of all runs below it: 0 for the lowest, the middle one by default. */
export function ratioOfRuns(runs: readonly Ratios[], share?: number): Ratios {
  const names = runs.flatMap((ratios) => Object.keys(ratios))
  return Object.fromEntries(
    names.map((name) => [
      name,
      percentile(
        runs.flatMap((ratios) => ratios[name] ?? []),
        share,
      ),
    ]),
  )
}

/** What is held and grew too far. A held figure that was not measured counts as lost. */
export function lossesIn(measured: Ratios, held: Ratios): Loss[] {
  return Object.entries(held)
    .map(([name, ratio]) => ({ name, held: ratio, now: measured[name] ?? Infinity }))
    .filter(({ held: before, now }) => now > before * ALLOWED)
}
