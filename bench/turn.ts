import { converse, talkToBare, talkToBeach, type Talk } from './client.ts'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'

const wanted = { deltas: 50, everyMs: 0 }

/** The server's CPU for a durable turn of 50 deltas, against a bare server that streams the same. */
export function turnBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const [beach, bare] = await Promise.all([ServerProcess.beach(folder), ServerProcess.bare()])
    try {
      const figures: Figure[] = []
      for (const concurrency of [1, 32]) {
        const people = Array.from({ length: concurrency })
        const toBeach = await Promise.all(people.map(() => talkToBeach(beach.url)))
        const toBare = people.map(() => talkToBare(bare.url))
        const turns = quick ? concurrency * 2 : concurrency === 1 ? 200 : 1_600
        const warmUp = quick ? turns : turns * 3
        await Promise.all([converse(toBeach, warmUp, wanted), converse(toBare, warmUp, wanted)])
        const rounds = await interleave(
          quick ? 2 : 9,
          () => cpuPerTurn(beach, toBeach, turns),
          () => cpuPerTurn(bare, toBare, turns),
        )
        figures.push({ name: `turn: CPU of a turn, ${concurrency} at a time`, unit: 'ms', rounds })
      }
      return figures
    } finally {
      await Promise.all([beach.stop(), bare.stop()])
    }
  })
}

export async function cpuPerTurn(server: ServerProcess, people: readonly Talk[], turns: number): Promise<number> {
  const before = await server.cpuMs()
  await converse(people, turns, wanted)
  return ((await server.cpuMs()) - before) / turns
}
