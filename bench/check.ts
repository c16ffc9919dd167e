import { heldRatios, holdRatios, lossesIn, ratioOfRuns, ratiosOf, type Ratios } from './held-ratios.ts'
import { table, type BenchOptions, type Figure } from './measure.ts'

type Bench = (options: BenchOptions) => Promise<Figure[]>

/** How often a bench is run to hold its ratios, and before a loss is believed. */
const RUNS = 3

/**
 * Compares the ratios of these benches with those in `held-ratios.json`: whether all of them hold is the result. A bench is
 * run again while one of its ratios is too high, and the lowest counts, since other work on the machine disturbs a run.
 */
export async function checkRatios(benches: readonly Bench[]): Promise<boolean> {
  const held = await heldRatios()
  const measured: Ratios[] = []
  for (const bench of benches) {
    const runs: Ratios[] = []
    do runs.push(await ratiosNow(bench))
    while (runs.length < RUNS && losesAny(ratioOfRuns(runs, 0), held))
    measured.push(ratioOfRuns(runs, 0))
  }
  const losses = lossesIn(Object.assign({}, ...measured), held)
  for (const { name, held: before, now } of losses) {
    console.error(`${name}: ${now.toFixed(2)} times the bare program, held is ${before}.`)
  }
  if (losses.length === 0) return true
  console.error(
    'Find what costs more now. If it is worth its price, hold the new ratios: npm run bench -- check --update',
  )
  return false
}

/** Holds the middle one of several runs. */
export async function updateRatios(benches: readonly Bench[]): Promise<void> {
  const measured: Ratios[] = []
  for (const bench of benches) {
    const runs: Ratios[] = []
    for (let run = 0; run < RUNS; run++) runs.push(await ratiosNow(bench))
    measured.push(ratioOfRuns(runs))
  }
  await holdRatios(Object.assign({}, ...measured))
}

async function ratiosNow(bench: Bench): Promise<Ratios> {
  const figures = await bench({ quick: false })
  console.log(`${table(figures)}\n`)
  return ratiosOf(figures)
}

function losesAny(measured: Ratios, held: Ratios): boolean {
  return lossesIn(measured, held).some(({ name }) => name in measured)
}
