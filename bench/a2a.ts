import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { call } from './http.ts'
import { interleave, machineTime, percentile, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'

const many = { usual: 2_000, quick: 100 }
const few = 50
// A server that runs for long is compared, not one that V8 still compiles.
const warmUp = 6_000

/**
 * A2A against a server of the stock SDK with its store in memory, which says the same words, each as it comes: the CPU of
 * a message that becomes a task, the CPU of a chunk when there are many and when there are few, and the time to the first
 * event. Next to it our own store in memory: the rest is what it costs that nothing is lost.
 */
export function a2aBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const [beach, eager, memory, stock] = await Promise.all([
      ServerProcess.a2aBeach(`${folder}/usual`, 75),
      ServerProcess.a2aBeach(`${folder}/eager`, 0),
      ServerProcess.a2aBeach(`${folder}/memory`, 75, 'memory'),
      ServerProcess.a2aStock(),
    ])
    try {
      // The others will have had as many by the time it is its turn.
      await sendAll(memory, quick ? 32 : 3 * warmUp, 32, 1)
      return [
        await sendFigure(beach, stock, { words: 20, concurrency: 32, quick }),
        await sendFigure(beach, stock, { words: 1, concurrency: 32, quick }),
        await sendFigure(beach, stock, { words: 20, concurrency: 1, quick }),
        await sendFigure(beach, stock, { words: 1, concurrency: 1, quick }),
        inMemory(await sendFigure(memory, stock, { words: 1, concurrency: 1, quick })),
        ...(await chunkFigures({ beach, eager, stock }, quick)),
        await firstEventFigure(beach, stock, { concurrency: 32, quick }),
        await firstEventFigure(beach, stock, { concurrency: 1, quick }),
        inMemory(await firstEventFigure(memory, stock, { concurrency: 1, quick })),
      ]
    } finally {
      await Promise.all([beach, eager, memory, stock].map((server) => server.stop()))
    }
  })
}

/** A figure of the store that forgets, as the stock SDK's does. */
function inMemory({ goal: _, ...figure }: Figure): Figure {
  return { ...figure, name: `${figure.name}, store in memory` }
}

interface Load {
  readonly words: number
  readonly concurrency: number
  readonly quick: boolean
}

async function sendFigure(beach: ServerProcess, stock: ServerProcess, load: Load): Promise<Figure> {
  const { words, concurrency, quick } = load
  const messages = quick ? concurrency * 2 : concurrency === 1 ? 300 : 1_600
  const measure = (server: ServerProcess) => () =>
    cpuPer(server, messages, () => sendAll(server, messages, concurrency, words))
  const before = quick ? messages : warmUp
  await Promise.all([sendAll(beach, before, concurrency, words), sendAll(stock, before, concurrency, words)])
  const rounds = await interleave(quick ? 2 : 15, measure(beach), measure(stock))
  const name = `a2a: CPU of SendMessage to Task, ${words === 1 ? 'a word' : `${words} words`}, ${concurrency} at a time`
  return { name, unit: 'ms', rounds, goal: 'at most 1' }
}

interface Servers {
  readonly beach: ServerProcess
  readonly eager: ServerProcess
  readonly stock: ServerProcess
}

/** Here the ratio is that of many chunks to few: how much more one chunk costs when there are many. */
async function chunkFigures({ beach, eager, stock }: Servers, quick: boolean): Promise<Figure[]> {
  const rounds = quick ? 2 : 15
  const max = quick ? many.quick : many.usual
  const figures: Figure[] = []
  for (const [name, server, goal] of [
    ['a2a: CPU of a chunk, of 2,000 : of 50', beach, 'at most 1.5'],
    ['a2a: the same, every chunk sent by itself', eager, ''],
    ['a2a: the same, stock SDK', stock, ''],
  ] as const) {
    const repeat = quick ? 1 : server === stock ? 1 : 5
    const perChunk = (chunks: number, times: number) => () =>
      cpuPer(server, chunks * times, async () => {
        for (let time = 0; time < times; time++) await stream(server.url, chunks)
      })
    const fewTimes = quick ? 2 : Math.ceil((max * repeat) / few)
    await perChunk(few, quick ? 1 : 40)()
    const found = await interleave(
      server === stock && !quick ? 3 : rounds,
      perChunk(max, repeat),
      perChunk(few, fewTimes),
    )
    figures.push({ name, unit: 'ms', rounds: found, ...(goal !== '' && { goal }) })
  }
  return figures
}

async function firstEventFigure(
  beach: ServerProcess,
  stock: ServerProcess,
  { concurrency, quick }: Omit<Load, 'words'>,
): Promise<Figure> {
  const streams = quick ? concurrency * 2 : concurrency === 1 ? 150 : 1_600
  const p50 = (server: ServerProcess, count: number) => async () => {
    const delays: number[] = []
    await together(concurrency, count, async () => void delays.push(await stream(server.url, 1)))
    return percentile(delays)
  }
  const before = quick ? streams : warmUp
  await Promise.all([p50(beach, before)(), p50(stock, before)()])
  const rounds = await interleave(quick ? 2 : 15, p50(beach, streams), p50(stock, streams))
  const name = `a2a: time to the first event, p50, ${concurrency} at a time`
  return { name, unit: 'ms', rounds, goal: 'at most 1.5' }
}

async function cpuPer(server: ServerProcess, count: number, work: () => Promise<void>): Promise<number> {
  const before = await server.cpuMs()
  await work()
  return ((await server.cpuMs()) - before) / count
}

function sendAll({ url }: ServerProcess, messages: number, concurrency: number, words: number): Promise<void> {
  return together(concurrency, messages, async () => {
    const body = (await json(await send(url, 'SendMessage', words))) as {
      result?: { task?: { status?: { state?: string } } }
    }
    if (body.result?.task?.status?.state !== 'TASK_STATE_COMPLETED') throw new Error(JSON.stringify(body))
  })
}

/** Does this so many times, with so many under way at the same time. */
async function together(concurrency: number, times: number, once: () => Promise<void>): Promise<void> {
  const people = Array.from({ length: concurrency }, async () => {
    for (let done = 0; done < times / concurrency; done++) await once()
  })
  await Promise.all(people)
}

/** Streams an answer to its end; the time to its first event. */
async function stream(url: string, chunks: number): Promise<number> {
  const began = machineTime()
  const response = await send(url, 'SendStreamingMessage', chunks)
  let first = Number.NaN
  let last = ''
  for await (const chunk of response) {
    if (Number.isNaN(first)) first = machineTime() - began
    last = (last + String(chunk)).slice(-4_000 - chunks * 10)
  }
  if (!last.includes('TASK_STATE_COMPLETED')) throw new Error(`The stream ended without its end: ${last.slice(-300)}`)
  return first
}

function send(url: string, method: string, deltas: number): Promise<IncomingMessage> {
  const message = {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text: JSON.stringify({ deltas, everyMs: 0 }) }],
  }
  const headers = { 'a2a-version': '1.0', accept: 'text/event-stream' }
  return call(`${url}/a2a`, { headers, body: { jsonrpc: '2.0', id: 1, method, params: { message } } })
}
