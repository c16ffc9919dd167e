import { talkToBeach } from './client.ts'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'
import { cpuPerTurn, run } from './turn.ts'

/** The server's CPU for a turn that is reported on, without an SDK, against one of the same server without reports. */
export function telemetryBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder((folder) =>
    withScratchFolder(async (other) => {
      const [on, off] = await Promise.all([
        ServerProcess.beach(folder, { BEACH_METRICS: 'on', BEACH_LOG: 'warn' }),
        ServerProcess.beach(other, { BEACH_METRICS: 'off', BEACH_LOG: 'warn' }),
      ])
      try {
        const figures: Figure[] = []
        for (const concurrency of [1, 32]) {
          const people = Array.from({ length: concurrency })
          const toOn = await Promise.all(people.map(() => talkToBeach(on.url)))
          const toOff = await Promise.all(people.map(() => talkToBeach(off.url)))
          const turns = quick ? concurrency * 2 : concurrency === 1 ? 200 : 1_600
          const warmUp = quick ? turns : turns * 3
          await Promise.all([run(toOn, warmUp), run(toOff, warmUp)])
          const rounds = await interleave(
            quick ? 2 : 9,
            () => cpuPerTurn(on, toOn, turns),
            () => cpuPerTurn(off, toOff, turns),
          )
          const name = `telemetry: CPU of a turn without an SDK, metrics on : off, ${concurrency} at a time`
          figures.push({ name, unit: 'ms', rounds, goal: '≤ 1.02' })
        }
        return figures
      } finally {
        await Promise.all([on.stop(), off.stop()])
      }
    }),
  )
}
