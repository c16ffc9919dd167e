import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { call } from './http.ts'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'

const concurrency = 16

/** A flow of a thread that is acted on. */
interface Place {
  readonly threadId: string
  readonly instanceId: string
}

/** Events of clients by POST, against bare appends of the same events; and what one costs when there is much else. */
export function flowsBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const beach = await ServerProcess.flowsBeach(folder)
    const bare = await ServerProcess.flowsBare(folder)
    try {
      const [events, rounds] = quick ? [32, 2] : [4_000, 9]
      const here = await places(beach.url, concurrency)
      const there = here.map(({ instanceId }) => ({ threadId: randomUUID(), instanceId }))
      await Promise.all([flip(beach.url, here, events), flip(bare.url, there, events)])
      const rates: Figure[] = []
      for (const clients of [1, concurrency]) {
        const [mine, others] = [here.slice(0, clients), there.slice(0, clients)]
        const some = clients === 1 ? events / 4 : events
        rates.push({
          name: `flows: events by POST of ${clients} at once`,
          unit: '/s',
          goal: '≥ 0.5',
          rounds: await interleave(
            rounds,
            () => rateOf(() => flip(beach.url, mine, some), some),
            () => rateOf(() => flip(bare.url, others, some), some),
          ),
        })
      }
      const full = await places(beach.url, concurrency, { others: 49 })
      const old = await places(beach.url, concurrency, { messages: quick ? 2 : 200 })
      const cost = (of: readonly Place[]) => cpuPerEvent(beach, () => flip(beach.url, of, events), events)
      return [
        ...rates,
        {
          name: 'flows: CPU of an event next to 49 other flows, against none',
          unit: 'ms',
          goal: '≈ 1',
          rounds: await interleave(
            rounds,
            () => cost(full),
            () => cost(here),
          ),
        },
        {
          name: 'flows: CPU of an event after 200 messages, against none',
          unit: 'ms',
          goal: '≈ 1',
          rounds: await interleave(
            rounds,
            () => cost(old),
            () => cost(here),
          ),
        },
      ]
    } finally {
      await Promise.all([beach.stop(), bare.stop()])
    }
  })
}

/** Threads with a flow each, and with what else there is to be. */
function places(url: string, count: number, more: { others?: number; messages?: number } = {}): Promise<Place[]> {
  const { others = 0, messages = 0 } = more
  return Promise.all(
    Array.from({ length: count }, async () => {
      const threadId = randomUUID()
      for (let message = 0; message < messages; message++) await say(url, threadId)
      for (let other = 0; other < others; other++) await open(url, threadId)
      return { threadId, instanceId: await open(url, threadId) }
    }),
  )
}

async function open(url: string, threadId: string): Promise<string> {
  const invoke = { eventId: randomUUID(), intentId: 'bench.flip', entities: { label: 'A coin' } }
  const { results } = (await post(`${url}/intentflow/events`, { threadId, invoke })) as {
    results: { instanceId: string }[]
  }
  return results[0]?.instanceId ?? ''
}

async function say(url: string, threadId: string): Promise<void> {
  const messages = [{ id: randomUUID(), role: 'user', content: 'Is it so?' }]
  await post(`${url}/agui`, { threadId, runId: randomUUID(), messages, tools: [], context: [] })
}

/** So many events in all, those of each flow one after the other. */
async function flip(url: string, of: readonly Place[], events: number): Promise<void> {
  await Promise.all(
    of.map(async ({ threadId, instanceId }) => {
      for (let count = 0; count < events / of.length; count++) {
        const value = { v: 1, eventId: randomUUID(), instanceId, event: 'FLIP' }
        await post(`${url}/intentflow/events`, {
          threadId,
          events: [{ type: 'CUSTOM', name: 'intentflow.event', value }],
        })
      }
    }),
  )
}

async function rateOf(work: () => Promise<void>, events: number): Promise<number> {
  const begin = performance.now()
  await work()
  return events / ((performance.now() - begin) / 1_000)
}

async function cpuPerEvent(server: ServerProcess, work: () => Promise<void>, events: number): Promise<number> {
  const before = await server.cpuMs()
  await work()
  return ((await server.cpuMs()) - before) / events
}

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await call(url, { body })
  const answer = await text(response)
  return response.headers['content-type']?.includes('json') === true ? (JSON.parse(answer) as unknown) : answer
}
