import { openConversation, readTurn, type StreamEvent } from '../client.ts'
import { machineTime, percentile, type BenchOptions, type Figure } from '../measure.ts'
import { ServerProcess } from '../server-process.ts'
import type { DatabaseServer } from './database-server.ts'

/** The time from a word of the actor to a viewer of another process, against a viewer of the same process. */
export async function postgresLiveText(server: DatabaseServer, { quick }: BenchOptions): Promise<Figure[]> {
  const wanted = { deltas: quick ? 20 : 300, everyMs: 5 }
  const url = await server.newDatabase('live_text')
  const processes = [await ServerProcess.beach(url), await ServerProcess.beach(url)]
  try {
    const [here = '', elsewhere = ''] = processes.map((process) => process.url)
    const conversation = await openConversation(here)
    const streams = [await conversation.follow(elsewhere), await conversation.follow(here)]
    const answered = async () => {
      const accepted = conversation.send(here, wanted)
      const [beach = [], bare = []] = await Promise.all(streams.map((stream) => delaysOf(stream)))
      await accepted
      // A word that was not heard live would be missing among the slow ones.
      for (const { length } of [beach, bare])
        if (length !== wanted.deltas) throw new Error(`${length} words arrived live instead of ${wanted.deltas}.`)
      return { beach, bare }
    }
    await answered()
    const rounds: { beach: number[]; bare: number[] }[] = []
    for (let round = 0; round < (quick ? 2 : 7); round++) rounds.push(await answered())
    return [0.5, 0.99].map((share) => ({
      name: `postgres: a word to a viewer of another process : of the same, p${share * 100}`,
      unit: 'ms',
      rounds: rounds.map(({ beach, bare }) => ({ beach: percentile(beach, share), bare: percentile(bare, share) })),
    }))
  } finally {
    await Promise.all(processes.map((process) => process.stop()))
  }
}

/** How long each word of an answer was on its way: it is the time at which it was spoken. Some come together. */
async function delaysOf(stream: AsyncIterator<StreamEvent>): Promise<number[]> {
  const delays: number[] = []
  await readTurn(stream, (text) => {
    const now = machineTime()
    for (const spokenAt of text.trim().split(' ')) delays.push(now - Number(spokenAt))
  })
  return delays
}
