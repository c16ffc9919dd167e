import { appendFileSync } from 'node:fs'
import type { Runtime } from '@cool-ai/beach-core'
import { DatabaseSync, rescueSqlite, type RescuedTable } from '@cool-ai/beach-core/sqlite'
import { prepareDatabase } from './schema.ts'

/** What could be read of a damaged store. */
export interface RescuedStore {
  readonly tables: readonly RescuedTable[]
  /** Sessions that are whole. */
  readonly sessions: number
  /** Sessions that lack some of their events: what is left of them is next to the new file, not in it. */
  readonly incomplete: readonly string[]
}

// Seqs that clients have seen are not used again, though their events may be lost.
const seqGap = 100_000

/**
 * Makes a new store of what can be read of a damaged one. A session that has lost events would repeat what it has done:
 * it goes into a file of its own, one event per line.
 */
export function rescueStore(options: { from: string; to: string; asideFile: string; runtime: Runtime }): RescuedStore {
  const { from, to, asideFile, runtime } = options
  const tables = rescueSqlite(from, to)
  const db = new DatabaseSync(to)
  try {
    prepareDatabase(db, runtime.clock.now())
    db.exec('BEGIN')
    const { damaged, highest } = lookedThrough(db, from)
    const incomplete = [...damaged].flatMap((number) => park(db, number, asideFile))
    // No host runs anything here yet: leases and processes belong to the old file, and snapshots are made again.
    for (const table of ['lease', 'neighbour', 'live', 'snapshot', 'use']) db.exec(`DELETE FROM ${table}`)
    db.exec(`DELETE FROM session WHERE number NOT IN (SELECT number FROM event)`)
    db.exec(`INSERT OR IGNORE INTO session SELECT session, number FROM event WHERE number > 0 GROUP BY number`)
    // Work in progress is looked at again by the next host.
    db.prepare(
      `INSERT OR IGNORE INTO wake (session, at)
       SELECT session, ? FROM event WHERE number > 0 AND data LIKE '%"type":"sessionOpened"%'`,
    ).run(runtime.clock.now())
    db.prepare(`INSERT INTO event (seq, number, session, data) VALUES (?, 0, '', '')`).run(highest + seqGap)
    const sessions = Number(db.prepare('SELECT count(*) AS count FROM session').get()?.count)
    db.exec('COMMIT')
    return { tables, sessions, incomplete }
  } finally {
    db.close()
  }
}

/** The numbers of sessions that lack events, and the highest seq that was ever given, as far as that can be told. */
function lookedThrough(db: DatabaseSync, from: string): { damaged: Set<number>; highest: number } {
  const damaged = new Set<number>()
  let highest = 0
  const present = new Set<number>()
  for (const { seq, number, data } of db.prepare('SELECT seq, number, data FROM event').iterate()) {
    present.add(Number(seq))
    highest = Math.max(highest, Number(seq))
    if (Number(number) > 0 && !isReadable(String(data))) damaged.add(Number(number))
  }
  for (const { seq, number } of indexed(from)) {
    highest = Math.max(highest, seq)
    if (number > 0 && !present.has(seq)) damaged.add(number)
  }
  return { damaged, highest }
}

/** How many rows of a store hold something else than events. */
export function unreadableRows(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    let count = 0
    for (const { data } of db.prepare('SELECT data FROM event WHERE number > 0').iterate())
      if (!isReadable(String(data))) count++
    return count
  } finally {
    db.close()
  }
}

function isReadable(data: string): boolean {
  try {
    for (const line of data.split('\n')) JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** The old file's index of rows: it is elsewhere in the file than the rows are. */
function* indexed(from: string): Generator<{ seq: number; number: number }> {
  const db = new DatabaseSync(from, { readOnly: true })
  try {
    for (const order of ['ASC', 'DESC']) {
      try {
        const sql = `SELECT seq, number FROM event INDEXED BY event_number ORDER BY number ${order}, seq ${order}`
        for (const { seq, number } of db.prepare(sql).iterate()) yield { seq: Number(seq), number: Number(number) }
        return
      } catch {
        // From the other end, to where it is damaged.
      }
    }
  } finally {
    db.close()
  }
}

/** Takes a session out of the new store; returns its id. */
function park(db: DatabaseSync, number: number, file: string): string[] {
  const rows = db.prepare('SELECT seq, session, data FROM event WHERE number = ? ORDER BY seq').all(number)
  const known = db.prepare('SELECT id FROM session WHERE number = ?').get(number)?.id ?? rows[0]?.session
  for (const { seq, session, data } of rows) {
    appendFileSync(file, `${JSON.stringify({ session, seq, events: String(data).split('\n') })}\n`, { mode: 0o600 })
  }
  db.prepare('DELETE FROM event WHERE number = ?').run(number)
  if (known === undefined) return []
  for (const sql of [
    'DELETE FROM session WHERE id = ?',
    'DELETE FROM wake WHERE session = ?',
    'DELETE FROM key WHERE value = ?',
  ])
    db.prepare(sql).run(known)
  return [String(known)]
}
