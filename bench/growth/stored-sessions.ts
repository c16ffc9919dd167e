import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { partTypeRegistry, systemRuntime, turnStates, type Originator, type Store } from '@cool-ai/beach-core'
import { defineActor, SessionTurnManager } from '@cool-ai/beach-session'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { percentile } from '../measure.ts'
import type { GrowthLine } from '../performance/figures.ts'
import { withScratchFolder } from '../scratch-folder.ts'

const principal = { kind: 'user', id: 'alice', tenant: 'bench' } as const
const from: Originator = { id: 'sse:alice', transport: 'sse', deliveryClass: 'streaming', principal }

/** A turn, and a look at a suspended session, among many stored sessions, against among few; in SQLite. */
export function storedSessions(few: number, many: number, rounds: number): Promise<GrowthLine[]> {
  return withScratchFolder(async (folder) => {
    const sides = [await side(join(folder, 'few.db'), few), await side(join(folder, 'many.db'), many)]
    try {
      for (const one of sides) await one.warmUp(rounds * 10)
      const turns = sides.map((): number[] => [])
      const looks = sides.map((): number[] => [])
      for (let round = 0; round < rounds; round++) {
        for (const [index, one] of round % 2 === 0 ? [...sides.entries()] : [...sides.entries()].toReversed()) {
          turns[index]?.push(await one.cpuOfTurn(64))
          looks[index]?.push(await one.msOfLook(20))
        }
      }
      const at = (values: readonly number[][]) =>
        [few, many].map((count, index) => ({
          where: `${count.toLocaleString('en')} stored sessions`,
          value: percentile(values[index] ?? []),
        }))
      return [
        { name: 'CPU of a turn, by stored sessions', unit: 'ms', at: at(turns), goal: 'flat' },
        { name: 'opening a suspended session, by stored sessions', unit: 'ms', at: at(looks), goal: '≤ 1.5 times' },
      ]
    } finally {
      for (const one of sides) await one.close()
    }
  })
}

async function side(path: string, count: number) {
  const model = await suspendedSession(path)
  copySession(path, model, count)
  const store = await SqliteStore.open({ path })
  const sessions = managerOf(store)
  let looked = 0
  return {
    async warmUp(turns: number): Promise<void> {
      await this.cpuOfTurn(turns)
      await this.msOfLook(turns)
    },
    /** Turns of new sessions, eight at a time. */
    async cpuOfTurn(turns: number): Promise<number> {
      const before = process.cpuUsage()
      const lane = async () => {
        for (let n = 0; n < turns / 8; n++) await say(sessions, await sessions.open({ principal }), 'hello', 'complete')
      }
      await Promise.all(Array.from({ length: 8 }, lane))
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000 / turns
    },
    /** Each of them a session that this process has never seen. */
    async msOfLook(looks: number): Promise<number> {
      const took: number[] = []
      for (let n = 0; n < looks; n++) {
        // A step that has no factor in common with the count comes by every session.
        const id = idOf(model, 1 + ((looked++ * 7_919) % count))
        const began = performance.now()
        const { turn } = await sessions.view(id, principal)
        took.push(performance.now() - began)
        if (turn?.turnState !== 'suspended') throw new Error('A stored session is not suspended.')
      }
      return percentile(took)
    },
    async close(): Promise<void> {
      await sessions.stop()
      await store.close()
    },
  }
}

function managerOf(store: Store): SessionTurnManager {
  const actor = defineActor(async ({ text, tool, respond }) => {
    if (text === 'pay') await tool({ name: 'pay', args: { amount: 90 }, requiresApproval: true }, async () => 'paid')
    await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
  })
  const options = { store, runtime: systemRuntime(), partTypes: partTypeRegistry, turnStates, actors: { actor } }
  const sessions = new SessionTurnManager(options)
  sessions.start()
  return sessions
}

async function suspendedSession(path: string): Promise<string> {
  const store = await SqliteStore.open({ path })
  const sessions = managerOf(store)
  const id = await sessions.open({ principal })
  await say(sessions, id, 'hello', 'complete')
  await say(sessions, id, 'pay', 'suspended')
  await sessions.stop()
  await store.close()
  return id
}

async function say(sessions: SessionTurnManager, id: string, text: string, state: string): Promise<void> {
  const end = new AbortController()
  const { seq } = await sessions.post(id, { parts: [{ text, metadata: { partType: 'message' } }], from }, principal)
  for await (const frame of sessions.follow(id, from, String(seq), end.signal)) {
    if (frame.kind === 'settled' || (frame.kind === 'turn' && frame.turnState === state)) break
  }
  end.abort()
}

/** The id of a copy: ids begin with the time, so copies lie one after another. */
function idOf(model: string, n: number): string {
  return `${model.slice(0, -7)}${String(n).padStart(7, '0')}`
}

/** Fills the tables with copies of one session, in the database itself. */
function copySession(path: string, model: string, count: number): void {
  const db = new DatabaseSync(path)
  // Only for the copying: nobody needs this file after a crash.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000')
  const { span } = db.prepare('SELECT max(seq) AS span FROM event').get() as { span: number }
  const id = `'${model.slice(0, -7)}' || printf('%07d', n)`
  const copied = (column: string) => `replace(${column}, '${model}', ${id})`
  const year = 365 * 24 * 3_600_000
  const copies: Readonly<Record<string, string>> = {
    session: `SELECT ${id}, number + n * ${span} FROM counted CROSS JOIN session WHERE id = '${model}'`,
    event: `SELECT seq + n * ${span}, number + n * ${span}, ${id}, ${copied('data')} FROM counted CROSS JOIN (SELECT * FROM event WHERE session = '${model}' ORDER BY seq)`,
    wake: `SELECT ${id}, at + ${year}, since FROM counted CROSS JOIN wake WHERE session = '${model}'`,
    key: `SELECT DISTINCT ${copied('key')} || iif(instr(key, '${model}') > 0, '', ':' || n), ${copied('value')}, at FROM counted CROSS JOIN (SELECT * FROM key WHERE instr(key || value, '${model}') > 0)`,
    snapshot: `SELECT ${id}, seq + n * ${span}, fold_version, ${copied('state')} FROM counted CROSS JOIN snapshot WHERE session = '${model}'`,
  }
  db.exec('BEGIN')
  for (const [table, select] of Object.entries(copies)) {
    const counted = `WITH RECURSIVE counted(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted WHERE n < ${count})`
    db.exec(`INSERT INTO ${table} ${counted} ${select}`)
  }
  db.exec('COMMIT; ANALYZE; PRAGMA journal_mode = WAL')
  db.close()
}
