import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import type { BenchOptions, Figure, Round } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'

const groupSize = 32

/** What a group of appends took. */
interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Appends in groups of 32 that share a commit, against a loop of prepared inserts with the same grouping. */
export function storeBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const store = await SqliteStore.open({ path: join(folder, 'beach.db') })
    const bare = bareDatabase(join(folder, 'bare.db'))
    try {
      const appendGroup = appender(store)
      const insertGroup = inserter(bare)
      await rounds(1, quick ? 5 : 300, appendGroup, insertGroup)
      const costs = await rounds(quick ? 3 : 9, quick ? 10 : 150, appendGroup, insertGroup)
      return [
        {
          name: 'store: appends in groups of 32',
          unit: 'appends/s',
          rounds: costs.map(({ beach, bare: other }) => ({ beach: 1_000 / beach.wallMs, bare: 1_000 / other.wallMs })),
          goal: '>= 0.8',
        },
        {
          name: 'store: CPU of an append',
          unit: 'µs',
          rounds: costs.map(({ beach, bare: other }) => ({ beach: beach.cpuMs * 1_000, bare: other.cpuMs * 1_000 })),
        },
      ]
    } finally {
      bare.close()
      await store.close()
    }
  })
}

/** The cost per append. The sides take turns group by group, so that both meet the same weather on the disk. */
async function rounds(
  count: number,
  groups: number,
  appendGroup: () => Promise<void>,
  insertGroup: () => Promise<void>,
): Promise<Record<keyof Round, Cost>[]> {
  const results: Record<keyof Round, Cost>[] = []
  for (let round = 0; round < count; round++) {
    let beach = { wallMs: 0, cpuMs: 0 }
    let bare = { wallMs: 0, cpuMs: 0 }
    for (let group = 0; group < groups; group++) {
      beach = sum(beach, await cost(appendGroup))
      bare = sum(bare, await cost(insertGroup))
    }
    results.push({ beach: share(beach, groups * groupSize), bare: share(bare, groups * groupSize) })
  }
  return results
}

async function cost(run: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await run()
  const wallMs = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs, cpuMs: (user + system) / 1_000 }
}

function sum(one: Cost, other: Cost): Cost {
  return { wallMs: one.wallMs + other.wallMs, cpuMs: one.cpuMs + other.cpuMs }
}

function share({ wallMs, cpuMs }: Cost, among: number): Cost {
  return { wallMs: wallMs / among, cpuMs: cpuMs / among }
}

/** An event of about 500 bytes, of the kind that most of a log consists of. */
function event(n: number) {
  return {
    type: 'partReceived',
    id: `ev_${String(n).padStart(26, '0')}`,
    v: 1,
    at: 1_700_000_000_000 + n,
    epoch: 1,
    turnId: 'turn_aaaaaaaaaaaaaaaaaaaaaaaaaa',
    partId: 'turn_aaaaaaaaaaaaaaaaaaaaaaaaaa.0.0',
    partType: 'response',
    turnState: 'complete',
    payload: { part: { text: 'word '.repeat(40), metadata: { partType: 'response' } } },
  }
}

function sessionNames(): string[] {
  return Array.from({ length: groupSize }, (_, index) => `sess_${String(index).padStart(26, '0')}`)
}

/** 32 sessions append one event each, all at once. */
function appender(store: SqliteStore): () => Promise<void> {
  const sessions = sessionNames().map((session) => ({ session, head: 0 }))
  let n = 0
  return async () => {
    await Promise.all(
      sessions.map(async (entry) => {
        entry.head = await store.append(entry.session, entry.head, [event(n++)])
      }),
    )
  }
}

function bareDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, data TEXT NOT NULL) STRICT;
    CREATE INDEX event_session ON event (session);
  `)
  return db
}

/** The same 32 events in one transaction: no compare-and-set, no followers. */
function inserter(db: DatabaseSync): () => Promise<void> {
  const insert = db.prepare('INSERT INTO event (session, data) VALUES (?, ?)')
  const sessions = sessionNames()
  let n = 0
  return async () => {
    db.exec('BEGIN IMMEDIATE')
    for (const session of sessions) insert.run(session, JSON.stringify(event(n++)))
    db.exec('COMMIT')
  }
}
