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
      const received = Promise.all(streams.map((stream) => delaysOf(stream)))
      const [[beach = [], bare = []]] = await Promise.all([received, conversation.send(here, wanted)])
      for (const { length } of [beach, bare])
        if (length !== wanted.deltas) throw new Error(`${length} words arrived instead of ${wanted.deltas}.`)
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

/**
 * How long each word of an answer was on its way: it is the time at which it was spoken. Live text may be lost; a word
 * that was has arrived when the whole part has.
 */
async function delaysOf(stream: AsyncIterator<StreamEvent>): Promise<number[]> {
  const delays = new Map<string, number>()
  await readTurn(
    stream,
    () => {},
    ({ name, data }) => {
      if (name !== 'delta' && name !== 'part') return
      const now = machineTime()
      for (const [word] of data.matchAll(/\d{13}\.?\d*(?= )/g))
        if (!delays.has(word)) delays.set(word, now - Number(word))
    },
  )
  return [...delays.values()]
}
