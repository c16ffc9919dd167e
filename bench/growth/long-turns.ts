import { percentile } from '../measure.ts'
import type { GrowthLine } from '../performance/figures.ts'
import { aguiPerson, type Person } from '../peers/talks.ts'
import { ssePerson } from '../peers/stream-talks.ts'
import { withScratchFolder } from '../scratch-folder.ts'
import { ServerProcess } from '../server-process.ts'

const people = 4

/** A server on SQLite for both: its actor calls a tool and streams an answer. */
export function withGrowingServer<Result>(use: (server: ServerProcess) => Promise<Result>): Promise<Result> {
  return withScratchFolder(async (folder) => {
    const script = new URL('../server/peers-beach-server.ts', import.meta.url)
    const server = await ServerProcess.of(script, [folder, 'sqlite', 'function'])
    try {
      return await use(server)
    } finally {
      await server.stop()
    }
  })
}

/** A turn of a session that has had many, against one of a new session, at the same time. */
export async function turnsOfSession(
  server: ServerProcess,
  milestones: readonly number[],
  turns: number,
): Promise<GrowthLine> {
  const newPeople = () => Array.from({ length: people }, () => ssePerson(server.url, Infinity))
  const old = newPeople()
  // A server that runs for long is measured, not one that V8 still compiles.
  const others = newPeople()
  await cpuPerTurn(server, others, turns * 20, 5)
  for (const talk of others) talk.leave?.()
  let had = 0
  const at: { where: string; ratio: number }[] = []
  const fresh: number[] = []
  for (const milestone of milestones) {
    if (milestone > had) await cpuPerTurn(server, old, milestone - had, 5)
    had = Math.max(had, milestone)
    const ratios: number[] = []
    for (let round = 0; round < 5; round++) {
      const young = newPeople()
      // To open a session is no part of a turn.
      await cpuPerTurn(server, young, 1, 5)
      fresh.push(await cpuPerTurn(server, young, turns, 5))
      ratios.push((await cpuPerTurn(server, old, turns, 5)) / (fresh.at(-1) ?? Number.NaN))
      for (const talk of young) talk.leave?.()
      had += turns
    }
    at.push({ where: `turn ${had.toLocaleString('en')}`, ratio: percentile(ratios) })
  }
  for (const talk of old) talk.leave?.()
  const base = percentile(fresh)
  const values = at.map(({ where, ratio }) => ({ where, value: base * ratio }))
  return { name: 'CPU of a turn, by turns of the session', unit: 'ms', at: values, goal: 'flat' }
}

/** A delta of a long answer, against one of a short; a turn with one delta is taken off. */
export async function deltasOfAnswer(
  server: ServerProcess,
  counts: readonly number[],
  deltasInAll: number,
): Promise<GrowthLine> {
  const talks = await Promise.all(Array.from({ length: people }, () => aguiPerson(server.url)))
  const cost = (deltas: number) =>
    cpuPerTurn(server, talks, Math.max(1, Math.round(deltasInAll / deltas / people)), deltas)
  for (let n = 0; n < 3; n++) for (const count of counts) await cost(count)
  const rounds = counts.map((): number[] => [])
  for (let round = 0; round < 5; round++) {
    const one = await cpuPerTurn(server, talks, Math.max(1, Math.round(deltasInAll / 200)), 1)
    for (const [index, count] of counts.entries()) rounds[index]?.push(((await cost(count)) - one) / (count - 1))
  }
  const at = counts.map((count, index) => ({
    where: `${count.toLocaleString('en')} deltas`,
    value: percentile(rounds[index] ?? []) * 1_000,
  }))
  return { name: 'CPU of a delta, by deltas of the answer', unit: 'µs', at, goal: 'flat' }
}

/** The server's CPU of a turn, all people at the same time, so many turns each. */
async function cpuPerTurn(
  server: ServerProcess,
  talks: readonly Person[],
  turns: number,
  deltas: number,
): Promise<number> {
  const before = await server.cpuMs()
  await Promise.all(
    talks.map(async (talk) => {
      for (let turn = 0; turn < turns; turn++) await talk({ deltas, everyMs: 0 })
    }),
  )
  return ((await server.cpuMs()) - before) / turns / talks.length
}
