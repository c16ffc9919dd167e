import { percentile, type BenchOptions } from './measure.ts'
import { contenders, type Contender } from './peers/contenders.ts'
import { loads, measureAll, type LoadResult } from './peers/rounds.ts'
import { installPeers } from './peers/install.ts'
import { withScratchFolder } from './scratch-folder.ts'

/** The same turn by other frameworks, by none, and by Beach, in one run. It prints its own lines. */
export function peersBench({ quick }: BenchOptions, only: readonly string[] = []): Promise<void> {
  return withScratchFolder(async (folder) => {
    // A short run shows that each wire works, in memory, and installs nothing.
    const isShort = ({ id, installed }: Contender) => installed !== true && !id.startsWith('beach-sqlite')
    const chosen = contenders.filter((one) =>
      only.length > 0 ? only.some((name) => one.id.startsWith(name)) : !quick || isShort(one),
    )
    if (chosen.some(({ installed }) => installed)) installPeers()
    const extent = quick
      ? { rounds: 1, warmUpMs: 0, loadMs: 0, sessions: 2 }
      : { rounds: 4, warmUpMs: 4_000, loadMs: 900, sessions: 1_000 }
    const found = await measureAll(chosen, extent, folder, quick ? () => {} : (line) => console.error(line))
    for (const one of found) {
      const cells = one.loads.map((rounds, index) => {
        const of = (key: keyof LoadResult) => percentile(rounds.map((round) => round[key])).toFixed(2)
        const { people, everyMs } = loads[index] ?? { people: 0, everyMs: 0 }
        return `${people}@${everyMs}ms: cpu ${of('cpuMs')} first ${of('firstByteMs')}/${of('firstWordMs')} pieces ${of('pieces')} rss ${of('residentMb')} ${of('turnsPerSecond')}/s`
      })
      console.log(
        `peers: ${one.id}\n  ${cells.join('\n  ')}\n  heap of 1,000 sessions: ${one.heapMbOf1000.toFixed(2)} MB`,
      )
    }
  })
}
