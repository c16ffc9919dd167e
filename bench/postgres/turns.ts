import { join } from 'node:path'
import { converse, talkAcross, type Talk } from '../client.ts'
import { interleave, type BenchOptions, type Figure } from '../measure.ts'
import { withScratchFolder } from '../scratch-folder.ts'
import { ServerProcess } from '../server-process.ts'
import type { DatabaseServer } from './database-server.ts'

const wanted = { deltas: 50, everyMs: 0 }

/** What a turn took: of the time in which many ran, of the CPU of the agent's processes and of the database's. */
interface Cost {
  readonly perSecond: number
  readonly agentMs: number
  readonly databaseMs: number
}

type Rounds = readonly { readonly beach: Cost; readonly bare: Cost }[]

/** Durable turns of an agent on 1, 2 and 4 processes over PostgreSQL, against as many over one SQLite file. */
export function postgresTurns(server: DatabaseServer, { quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const url = await server.newDatabase('turns')
    const [postgres, sqlite]: [ServerProcess[], ServerProcess[]] = [[], []]
    const people = quick ? 8 : 32
    const counts = quick ? [1, 2] : [1, 2, 4]
    const turns = people * (quick ? 2 : 30)
    const rounds = quick ? 2 : 5
    const talks = (further = 0) => talksTo(postgres, people, further)
    const side = (processes: readonly ServerProcess[], talking: readonly Talk[]) => () =>
      cost(server, processes, talking, turns)
    const figures: Figure[] = []
    try {
      for (const count of counts) {
        // The others are started later: a process that is alone does less.
        while (postgres.length < count) {
          postgres.push(await ServerProcess.beach(url))
          sqlite.push(await ServerProcess.beach(join(folder, 'data')))
        }
        const sides = [side(postgres, await talks()), side(sqlite, await talksTo(sqlite, people))] as const
        for (const warmUp of sides) await warmUp()
        const measured = await interleave(rounds, ...sides)
        figures.push(...figuresOf(count === 1 ? '1 process' : `${count} processes`, measured))
      }
      const across = side(postgres, await talks(1))
      await across()
      const measured = await interleave(rounds, across, side(postgres, await talks()))
      const name = `${counts.at(-1)} processes, streams of another process : of the same`
      return [...figures, turnRate(name, measured), agentCpu(name, measured), databaseCpu(name, measured)]
    } finally {
      await Promise.all([...postgres, ...sqlite].map((process) => process.stop()))
    }
  })
}

/** People who talk to each of the processes alike, and follow the one so many places further on. */
function talksTo(processes: readonly ServerProcess[], people: number, further = 0): Promise<Talk[]> {
  const urlOf = (index: number) => processes[index % processes.length]?.url ?? ''
  return Promise.all(Array.from({ length: people }, (_, index) => talkAcross(urlOf(index), urlOf(index + further))))
}

async function cost(
  server: DatabaseServer,
  processes: readonly ServerProcess[],
  talks: readonly Talk[],
  turns: number,
): Promise<Cost> {
  const cpuMs = async () => (await Promise.all(processes.map((process) => process.cpuMs()))).reduce((a, b) => a + b)
  const before = { agent: await cpuMs(), database: server.cpuMs(), at: performance.now() }
  await converse(talks, turns, wanted)
  const seconds = (performance.now() - before.at) / 1_000
  return {
    perSecond: turns / seconds,
    agentMs: ((await cpuMs()) - before.agent) / turns,
    databaseMs: (server.cpuMs() - before.database) / turns,
  }
}

function figuresOf(name: string, rounds: Rounds): Figure[] {
  return [
    turnRate(`${name} : SQLite`, rounds),
    agentCpu(`${name} : SQLite`, rounds),
    {
      name: `postgres: the database's CPU of a turn, ${name} : the agent's`,
      unit: 'ms',
      rounds: rounds.map(({ beach }) => ({ beach: beach.databaseMs, bare: beach.agentMs })),
    },
  ]
}

function turnRate(name: string, rounds: Rounds): Figure {
  return figure(`turns, ${name}`, 'turns/s', rounds, ({ perSecond }) => perSecond)
}

function agentCpu(name: string, rounds: Rounds): Figure {
  return figure(`the agent's CPU of a turn, ${name}`, 'ms', rounds, ({ agentMs }) => agentMs)
}

function databaseCpu(name: string, rounds: Rounds): Figure {
  return figure(`the database's CPU of a turn, ${name}`, 'ms', rounds, ({ databaseMs }) => databaseMs)
}

function figure(name: string, unit: string, rounds: Rounds, of: (cost: Cost) => number): Figure {
  return {
    name: `postgres: ${name}`,
    unit,
    rounds: rounds.map(({ beach, bare }) => ({ beach: of(beach), bare: of(bare) })),
  }
}
