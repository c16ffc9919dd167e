import { converse, talkToBeach } from './client.ts'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'
import { cpuPerTurn } from './turn.ts'

/** The server's CPU for a durable turn of 50 deltas on encrypted data, against the same on readable data (as "bare"). */
export function encryptionBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder((folder) =>
    withScratchFolder(async (other) => {
      const keys = Buffer.alloc(32, 1).toString('base64')
      const servers = await Promise.all([ServerProcess.beach(folder, { keys }), ServerProcess.beach(other)])
      try {
        const figures: Figure[] = []
        for (const concurrency of [1, 32]) figures.push(await figure(servers, concurrency, quick))
        return figures
      } finally {
        await Promise.all(servers.map((server) => server.stop()))
      }
    }),
  )
}

async function figure(
  [encrypted, readable]: readonly [ServerProcess, ServerProcess],
  concurrency: number,
  quick: boolean,
): Promise<Figure> {
  const people = Array.from({ length: concurrency })
  const toEncrypted = await Promise.all(people.map(() => talkToBeach(encrypted.url)))
  const toReadable = await Promise.all(people.map(() => talkToBeach(readable.url)))
  const turns = quick ? concurrency * 2 : concurrency === 1 ? 100 : 640
  const wanted = { deltas: 50, everyMs: 0 }
  const warmUp = quick ? turns : turns * 3
  await Promise.all([converse(toEncrypted, warmUp, wanted), converse(toReadable, warmUp, wanted)])
  const rounds = await interleave(
    quick ? 2 : 15,
    () => cpuPerTurn(encrypted, toEncrypted, turns),
    () => cpuPerTurn(readable, toReadable, turns),
  )
  return { name: `encryption: CPU of a turn, on : off, ${concurrency} at a time`, unit: 'ms', rounds }
}
