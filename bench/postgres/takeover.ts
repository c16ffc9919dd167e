import { openConversation, type StreamEvent } from '../client.ts'
import type { BenchOptions, Figure } from '../measure.ts'
import { ServerProcess } from '../server-process.ts'
import type { DatabaseServer } from './database-server.ts'

/** Words of a turn, of which the last ones must still come when its process ends. */
const everyMs = 20

/**
 * How long viewers wait when the process that answers ends, until another one goes on: from the last word of the one to
 * the first word of the other, against the lease.
 */
export async function postgresTakeover(server: DatabaseServer, { quick }: BenchOptions): Promise<Figure[]> {
  const leaseMs = quick ? 1_000 : 10_000
  const url = await server.newDatabase('takeover')
  // Turns are handed over almost at once, instead of ending in the process that stops.
  const start = () => ServerProcess.beach(url, { leaseMs, stopGraceMs: 100 })
  const other = await start()
  const figures: Figure[] = []
  let ending: ServerProcess | undefined
  try {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const silences: number[] = []
      for (let round = 0; round < (quick ? 1 : 2); round++) {
        ending = await start()
        const [count, deltas] = quick ? [4, 75] : [20, 150]
        silences.push(...(await takeover({ ending, other, signal, count, wanted: { deltas, everyMs } })))
      }
      figures.push({
        name: `postgres: silence after ${signal === 'SIGKILL' ? 'kill -9' : 'SIGTERM'} : the lease`,
        unit: 'ms',
        rounds: silences.map((silence) => ({ beach: silence, bare: leaseMs })),
      })
    }
    return figures
  } finally {
    await Promise.all([ending?.stop(), other.stop()])
  }
}

interface Takeover {
  readonly ending: ServerProcess
  readonly other: ServerProcess
  readonly signal: 'SIGTERM' | 'SIGKILL'
  readonly count: number
  readonly wanted: { readonly deltas: number; readonly everyMs: number }
}

/** Ends a process while it answers in many sessions; resolves with the silence in each of them. */
async function takeover({ ending, other, signal, count, wanted }: Takeover): Promise<number[]> {
  const begun = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const silences = begun.map(async ({ resolve }) => {
    const conversation = await openConversation(ending.url)
    const stream = await conversation.follow(other.url)
    await conversation.send(ending.url, wanted)
    return silenceIn(stream, resolve)
  })
  await Promise.all(begun.map(({ promise }) => promise))
  const ended = ending.end(signal)
  await ended
  return Promise.all(silences)
}

/** From the last word before what was said is taken back to the first one after that; reads the turn to its end. */
async function silenceIn(stream: AsyncIterator<StreamEvent>, onWord: () => void): Promise<number> {
  let [last, silence]: [number | undefined, number | undefined] = [undefined, undefined]
  let isTakenBack = false
  for (;;) {
    const { value, done } = await stream.next()
    if (done === true) throw new Error('The stream ended before the turn settled.')
    if (value.name === 'retract') isTakenBack = true
    if (value.name === 'delta') {
      const words = (JSON.parse(value.data) as { text: string }).text.trim().split(' ').map(Number)
      if (isTakenBack) silence ??= (words[0] ?? Number.NaN) - (last ?? Number.NaN)
      else last = words.at(-1)
      onWord()
    }
    if (value.name === 'settled') break
  }
  if (silence === undefined) throw new Error('The turn ended in the process where it had begun.')
  return silence
}
