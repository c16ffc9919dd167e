import { join } from 'node:path'
import { percentile } from '../measure.ts'
import type { Wanted } from '../server/answer.ts'
import type { OwnPackages, ServerProcess } from '../server-process.ts'
import type { Contender } from './contenders.ts'
import type { Answered } from './answer.ts'
import type { Person } from './talks.ts'

/** How much is measured. */
export interface Extent {
  readonly rounds: number
  readonly warmUpMs: number
  readonly loadMs: number
  readonly packages: OwnPackages
  /** How many new sessions are opened to see what they leave in memory. */
  readonly sessions: number
}

/** One way in which messages come. */
export interface Load {
  readonly people: number
  readonly everyMs: number
}

// V8 sees most turns by this one.
const busiest: Load = { people: 32, everyMs: 0 }

export const loads: readonly Load[] = [
  { people: 1, everyMs: 0 },
  busiest,
  { people: 1, everyMs: 2 },
  { people: 32, everyMs: 2 },
]

const deltas = 50

/** What one round found of one server under one load. */
export interface LoadResult {
  readonly cpuMs: number
  readonly turnsPerSecond: number
  readonly firstByteMs: number
  readonly firstWordMs: number
  readonly pieces: number
  readonly residentMb: number
}

/** All that was found of one server: for each load, its rounds. */
export interface Found {
  readonly id: string
  readonly loads: readonly (readonly LoadResult[])[]
  readonly heapMbOf1000: number
}

/** What was found, and why some servers could not be measured. */
export interface Measured {
  readonly found: readonly Found[]
  readonly failed: Readonly<Record<string, string>>
}

/**
 * Measures servers in rounds: in each of them every server gets every load, in an order that changes. A server that fails
 * is left out from then on.
 */
export async function measureAll(
  contenders: readonly Contender[],
  extent: Extent,
  folder: string,
  say: (line: string) => void,
): Promise<Measured> {
  const failed: Record<string, string> = {}
  const running: Running[] = []
  const attempt = async ({ id }: Contender, what: () => Promise<void>) => {
    if (id in failed) return
    await what().catch((error: unknown) => {
      failed[id] = error instanceof Error ? error.message.slice(0, 300) : String(error)
      say(`${id} fails: ${failed[id]}`)
    })
  }
  const each = async (servers: readonly Running[], what: (one: Running) => Promise<void>) => {
    for (const one of servers) await attempt(one.contender, () => what(one))
  }
  try {
    for (const contender of contenders) {
      await attempt(contender, async () => {
        running.push(await Running.start(contender, join(folder, contender.id), extent.packages))
      })
    }
    if (extent.warmUpMs > 0) say('warming up')
    await each(extent.warmUpMs > 0 ? running : [], async (one) => {
      await one.bear(busiest, extent.warmUpMs)
      for (const load of loads) await one.bear(load, extent.warmUpMs / 20)
    })
    for (let round = 0; round < extent.rounds; round++) {
      say(`round ${round + 1} of ${extent.rounds}`)
      const order = running.map((_, index) => running[(index + round * 3) % running.length] as Running)
      await each(round % 2 === 0 ? order : order.toReversed(), (one) => one.round(extent.loadMs))
    }
    say('new sessions')
    await each(running, (one) => one.openSessions(extent.sessions))
    return { found: running.filter(({ contender: { id } }) => !(id in failed)).map(({ found }) => found), failed }
  } finally {
    await Promise.all(running.map((one) => one.stop()))
  }
}

class Running {
  readonly contender: Contender
  readonly #server: ServerProcess
  readonly #people: readonly Person[]
  readonly #results: LoadResult[][] = loads.map(() => [])
  #heapMbOf1000 = Number.NaN

  private constructor(contender: Contender, server: ServerProcess, people: readonly Person[]) {
    this.contender = contender
    this.#server = server
    this.#people = people
  }

  static async start(contender: Contender, folder: string, packages: OwnPackages): Promise<Running> {
    const server = await contender.start(folder, { packages })
    const count = Math.max(...loads.map(({ people }) => people))
    try {
      const people = await Promise.all(Array.from({ length: count }, () => contender.person(server.url)))
      return new Running(contender, server, people)
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  get found(): Found {
    return { id: this.contender.id, loads: this.#results, heapMbOf1000: this.#heapMbOf1000 }
  }

  async round(loadMs: number): Promise<void> {
    for (const [index, load] of loads.entries()) this.#results[index]?.push(await this.bear(load, loadMs))
  }

  /** People who talk for so long; what they have begun is answered to its end. */
  async bear({ people, everyMs }: Load, forMs: number): Promise<LoadResult> {
    const wanted: Wanted = { deltas, everyMs }
    const answers: Answered[] = []
    const cpu = await this.#server.cpuMs()
    const began = performance.now()
    await Promise.all(
      this.#people.slice(0, people).map(async (talk) => {
        do answers.push(await talk(wanted))
        while (performance.now() - began < forMs)
      }),
    )
    const seconds = (performance.now() - began) / 1_000
    const used = (await this.#server.cpuMs()) - cpu
    const middle = (of: keyof Answered) => percentile(answers.map((answer) => answer[of]))
    return {
      cpuMs: used / answers.length,
      turnsPerSecond: answers.length / seconds,
      firstByteMs: middle('firstByteMs'),
      firstWordMs: middle('firstWordMs'),
      pieces: middle('pieces'),
      residentMb: await this.#server.residentMb(),
    }
  }

  /** What is still in use after so many conversations of one turn, beyond what was before. */
  async openSessions(count: number): Promise<void> {
    const before = await this.#server.heapMb()
    let left = count
    const lane = async () => {
      while (left-- > 0) {
        const talk = await this.contender.person(this.#server.url)
        await talk({ deltas, everyMs: 0 })
        talk.leave?.()
      }
    }
    await Promise.all(Array.from({ length: 32 }, lane))
    this.#heapMbOf1000 = (((await this.#server.heapMb()) - before) / count) * 1_000
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }
}
