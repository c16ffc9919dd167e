import { talkToBare, talkToBeach, type Talk } from './client.ts'
import { interleave, machineTime, percentile, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'

/** The time from the actor's delta to the client's event, against a server that only passes deltas on. */
export function latencyBench({ quick }: BenchOptions): Promise<Figure[]> {
  const wanted = { deltas: quick ? 20 : 300, everyMs: 3 }
  return withScratchFolder(async (folder) => {
    const [beach, bare] = await Promise.all([ServerProcess.beach(folder), ServerProcess.bare()])
    try {
      const delays = { beach: delaysOf(await talkToBeach(beach.url)), bare: delaysOf(talkToBare(bare.url)) }
      await Promise.all([delays.beach(wanted), delays.bare(wanted)])
      const rounds = await interleave(
        quick ? 2 : 7,
        () => delays.beach(wanted),
        () => delays.bare(wanted),
      )
      return [0.5, 0.99].map((share) => ({
        name: `latency: delta to client, p${share * 100}`,
        unit: 'ms',
        rounds: rounds.map((round) => ({
          beach: percentile(round.beach, share),
          bare: percentile(round.bare, share),
        })),
        ...(share === 0.5 && { goal: '≤ 1.5' }),
      }))
    } finally {
      await Promise.all([beach.stop(), bare.stop()])
    }
  })
}

/** How long each delta of an answer was on its way: its text is the time at which it was spoken. */
function delaysOf(talk: Talk): (wanted: Parameters<Talk>[0]) => Promise<number[]> {
  return async (wanted) => {
    const delays: number[] = []
    await talk(wanted, (spokenAt) => delays.push(machineTime() - Number(spokenAt)))
    return delays
  }
}
