import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { percentile, type BenchOptions } from './measure.ts'
import { machineNow, writeFigures, type PeersFigures } from './performance/figures.ts'
import { writePage } from './performance/page.ts'
import { shown } from './performance/plots.ts'
import { contenders, type Contender } from './peers/contenders.ts'
import { durabilityOf } from './peers/durability.ts'
import { installPeers, versionsOf } from './peers/install.ts'
import { loads, measureAll, type Extent, type Found, type LoadResult } from './peers/rounds.ts'
import { withScratchFolder } from './scratch-folder.ts'

/** Which servers, how many rounds, and a file for the figures; all of them and `docs/performance.md` when left out. */
export interface PeersChoice {
  readonly only?: readonly string[] | undefined
  readonly rounds?: string | undefined
  readonly json?: string | undefined
}

const usual: Extent = { rounds: 4, warmUpMs: 3_000, loadMs: 800, sessions: 1_000 }
const short: Extent = { rounds: 1, warmUpMs: 0, loadMs: 0, sessions: 2 }

/** The same turn by other frameworks, by none, and by Beach, in one run. It prints its own lines. */
export async function peersBench({ quick }: BenchOptions, choice: PeersChoice = {}): Promise<void> {
  const { only, rounds, json } = choice
  const chosen = chosenOf(only, quick)
  if (chosen.some(({ installed }) => installed)) installPeers()
  const figures = await measure(chosen, {
    ...(quick ? short : usual),
    ...(rounds !== undefined && { rounds: Number(rounds) }),
  })
  for (const found of figures.found) print(found)
  for (const { id, finished, cutOff } of figures.durability) {
    const second = cutOff === undefined ? '' : `, of one that is cut off: ${cutOff}`
    console.log(`peers: ${id}: after kill -9 a finished answer is on disk: ${finished}${second}`)
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, undefined, 1)}\n`)
  if (!quick && only === undefined && rounds === undefined) writePage(writeFigures({ peers: figures }))
}

/** A short run has the servers that need no installation, by one channel. */
function chosenOf(only: readonly string[] | undefined, quick: boolean): Contender[] {
  if (only === undefined)
    return contenders.filter(({ id }) => !quick || ['http', 'loop', 'beach-sqlite-agui'].includes(id))
  const unknown = only.find((name) => !contenders.some(({ id }) => id.startsWith(name)))
  if (unknown !== undefined) {
    throw new Error(`There is no server '${unknown}'. There are: ${contenders.map(({ id }) => id).join(', ')}.`)
  }
  return contenders.filter(({ id }) => only.some((name) => id.startsWith(name)))
}

function measure(chosen: readonly Contender[], extent: Extent): Promise<PeersFigures> {
  return withScratchFolder(async (folder) => {
    const machine = machineNow()
    const found = await measureAll(chosen, extent, folder, (line) => console.error(line))
    const durability = []
    for (const contender of chosen)
      durability.push(await durabilityOf(contender, join(folder, `ended-${contender.id}`)))
    return { machine: machine(), versions: versionsOf(chosen), extent, found, durability }
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
