import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { percentile, type BenchOptions } from './measure.ts'
import { machineNow, readFigures, writeFigures, type PeersFigures } from './performance/figures.ts'
import { writePage } from './performance/page.ts'
import { shown } from './performance/plots.ts'
import { contenders, type Contender } from './peers/contenders.ts'
import { durabilityOf } from './peers/durability.ts'
import { buildPackages, installPeers, versionsOf } from './peers/install.ts'
import { loads, measureAll, type Extent, type Found, type LoadResult } from './peers/rounds.ts'
import { withScratchFolder } from './scratch-folder.ts'

/** Which servers, how many rounds, and a file for the figures; all of them and `docs/performance.md` when left out. */
export interface PeersChoice {
  readonly only?: readonly string[] | undefined
  readonly rounds?: string | undefined
  readonly json?: string | undefined
  /** Writes the page anew from the figures of before, and measures nothing. */
  readonly page?: boolean | undefined
}

const usual: Extent = { packages: 'published', rounds: 4, warmUpMs: 3_000, loadMs: 700, sessions: 1_000 }
const short: Extent = { packages: 'sources', rounds: 1, warmUpMs: 0, loadMs: 0, sessions: 2 }

/** The same turn by other frameworks, by none, and by Beach, in one run. It prints its own lines. */
export async function peersBench({ quick }: BenchOptions, choice: PeersChoice = {}): Promise<void> {
  const { only, rounds, json, page } = choice
  if (page === true) return writePage(readFigures())
  const chosen = chosenOf(only, quick)
  if (chosen.some(({ installed }) => installed)) installPeers()
  if (!quick) buildPackages()
  const extent = quick ? short : { ...usual, ...(rounds !== undefined && { rounds: Number(rounds) }) }
  const figures = await measure(chosen, extent)
  for (const found of figures.found) print(found)
  for (const [id, why] of Object.entries(figures.failed)) console.log(`peers: ${id} could not be measured: ${why}`)
  for (const { id, finished, cutOff } of figures.durability) {
    const second = cutOff === undefined ? '' : `, of one that is cut off: ${cutOff}`
    console.log(`peers: ${id}: after kill -9 a finished answer is on disk: ${finished}${second}`)
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, undefined, 1)}\n`)
  if (!quick && only === undefined && rounds === undefined) writePage(writeFigures({ peers: figures }))
}

/** A short run shows that each wire works, and installs nothing; that of growth talks by server-sent events. */
const inShort = /^(loop|beach-sqlite-agui|beach-memory-(ws|a2a|mcp))$/

function chosenOf(only: readonly string[] | undefined, quick: boolean): Contender[] {
  if (only === undefined) return contenders.filter(({ id }) => !quick || inShort.test(id))
  const unknown = only.find((name) => !contenders.some(({ id }) => id.startsWith(name)))
  if (unknown !== undefined) {
    console.error(`There is no server '${unknown}'. There are: ${contenders.map(({ id }) => id).join(', ')}.`)
    process.exit(1)
  }
  return contenders.filter(({ id }) => only.some((name) => id.startsWith(name)))
}

function measure(chosen: readonly Contender[], extent: Extent): Promise<PeersFigures> {
  return withScratchFolder(async (folder) => {
    const machine = machineNow()
    const { found, failed } = await measureAll(chosen, extent, folder, (line) => console.error(line))
    const durability = []
    // What keeps nothing has nothing to lose: only the whole run looks.
    const ended = chosen.filter(({ id, goesOn }) => !(id in failed) && (extent !== short || goesOn === true))
    for (const contender of ended) {
      durability.push(await durabilityOf(contender, join(folder, `ended-${contender.id}`)))
    }
    return { machine: machine(), versions: versionsOf(chosen), extent, found, durability, failed }
  })
}

function print({ id, loads: found, heapMbOf1000 }: Found): void {
  for (const [index, { people, everyMs }] of loads.entries()) {
    const of = (key: keyof LoadResult) => shown(percentile((found[index] ?? []).map((round) => round[key])))
    const load = `${people} at a time, ${everyMs === 0 ? 'at once' : `${everyMs} ms apart`}`
    console.log(
      `peers: ${id}, ${load}: CPU ${of('cpuMs')} ms, first byte ${of('firstByteMs')} ms, first word ${of('firstWordMs')} ms, ` +
        `${of('pieces')} pieces, memory ${of('residentMb')} MB, ${of('turnsPerSecond')} turns/s`,
    )
  }
  console.log(`peers: ${id}: heap of 1,000 new sessions ${shown(heapMbOf1000)} MB`)
}
