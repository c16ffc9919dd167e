import type { DatabaseSync } from 'node:sqlite'
import { Conflict, type BoundKey, type StoredEvent } from '@cool-ai/beach-core/ports'
import type { LeaseTime } from '../lease-time.ts'
import type { HeadCache } from './head-cache.ts'

const probeKey = 'readiness'
const probeCharacters = 32_000

export type Statements = ReturnType<typeof statements>

/** Every statement of the store, prepared once, as plain functions. Those that write are called inside a transaction. */
export function statements(db: DatabaseSync, standing: HeadCache, time: LeaseTime) {
  const sql = {
    place: db.prepare(
      `SELECT number, (SELECT seq FROM event WHERE event.number = session.number ORDER BY seq DESC LIMIT 1) AS head
       FROM session WHERE id = ?`,
    ),
    lastSeq: db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM event'),
    addSession: db.prepare('INSERT INTO session (id, number) VALUES (?, ?) ON CONFLICT (id) DO NOTHING'),
    append: db.prepare('INSERT INTO event (seq, number, session, data) VALUES (?, ?, ?, ?)'),
    // `+ 0`: SQLite would look at a bare parameter when it plans, and so compile the statement again for every call.
    read: db.prepare(
      `SELECT seq, data FROM event WHERE number = (SELECT number FROM session WHERE id = ?) AND seq > ?
       ORDER BY seq LIMIT ? + 0`,
    ),
    wake: db.prepare(
      `INSERT INTO wake (session, at, since) VALUES (?, ?, ?) ON CONFLICT (session)
       DO UPDATE SET at = excluded.at, since = excluded.since WHERE excluded.at < wake.at`,
    ),
    abandoned: db.prepare('SELECT session FROM lease WHERE until <= ? ORDER BY until LIMIT 1'),
    due: db.prepare(
      `SELECT session FROM wake WHERE at <= ? AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.session = wake.session)
       ORDER BY at LIMIT 1`,
    ),
    nextDue: db.prepare(
      `SELECT min(at) AS at FROM (
         SELECT at FROM wake WHERE NOT EXISTS (SELECT 1 FROM lease WHERE lease.session = wake.session)
         ORDER BY at LIMIT 1)`,
    ),
    leases: db.prepare('SELECT min(until) AS first, max(ms) AS longest FROM lease'),
    // What was written by a clock that has been set back since. For a wake it is what `isOver` says of it.
    isAhead: db.prepare(
      `SELECT EXISTS (SELECT 1 FROM lease WHERE until > ?1 + ms)
           OR EXISTS (SELECT 1 FROM wake WHERE at > ?1 AND 2 * since - at > ?1) AS ahead`,
    ),
    cutLeases: db.prepare('UPDATE lease SET until = ?1 + ms WHERE until > ?1 + ms'),
    cutWakes: db.prepare('UPDATE wake SET at = ?1, since = ?1 WHERE at > ?1 AND 2 * since - at > ?1'),
    isAwake: db.prepare('SELECT 1 FROM wake WHERE session = ?'),
    clearWake: db.prepare('DELETE FROM wake WHERE session = ?'),
    setLease: db.prepare('INSERT OR REPLACE INTO lease (session, owner, until, ms) VALUES (?, ?, ?, ?)'),
    takeLease: db.prepare(
      `INSERT INTO lease (session, owner, until, ms) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (session) DO UPDATE SET owner = excluded.owner, until = excluded.until, ms = excluded.ms
       WHERE lease.until <= ?5`,
    ),
    renew: db.prepare('UPDATE lease SET until = ?3 WHERE session = ?1 AND owner = ?2'),
    release: db.prepare('DELETE FROM lease WHERE session = ? AND owner = ?'),
    clearLease: db.prepare('DELETE FROM lease WHERE session = ?'),
    bind: db.prepare('INSERT INTO key (key, value, at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING'),
    get: db.prepare('SELECT value FROM key WHERE key = ?'),
    list: db.prepare(
      'SELECT key, value, at FROM key WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key LIMIT ?4 + 0',
    ),
    unbind: db.prepare('DELETE FROM key WHERE key = ?'),
    saveSnapshot: db.prepare(
      `INSERT INTO snapshot (session, seq, fold_version, state) VALUES (?, ?, ?, ?)
       ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, fold_version = excluded.fold_version, state = excluded.state
       WHERE excluded.seq >= snapshot.seq`,
    ),
    loadSnapshot: db.prepare(`SELECT seq, fold_version, state FROM snapshot WHERE session = ? AND state <> ''`),
    erase: db.prepare('UPDATE event SET data = ?2 WHERE seq = ?1'),
    dropSnapshot: db.prepare('DELETE FROM snapshot WHERE session = ?'),
    dropEvents: db.prepare('DELETE FROM event WHERE number = (SELECT number FROM session WHERE id = ?)'),
    dropSession: db.prepare('DELETE FROM session WHERE id = ?'),
    keepLastSeq: db.prepare("INSERT INTO event SELECT max(seq) + 1, 0, '', '' FROM event"),
    forgetKept: db.prepare('DELETE FROM event WHERE number = 0 AND seq < ?'),
    probe: db.prepare('INSERT OR REPLACE INTO key (key, value) VALUES (?, ?)'),
    emptyJournal: db.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
  }

  const longest = () => Number(sql.leases.get()?.longest)

  const claimable = (now: number): string | undefined => {
    const row = sql.abandoned.get(time.now(longest)) ?? sql.due.get(now)
    return row && String(row.session)
  }

  const wake = (session: string, at: number, now: number): void =>
    void sql.wake.run(session, Math.floor(Math.max(at, now)), Math.floor(now))

  const lastSeq = () => standing.lastSeq(() => Number(sql.lastSeq.get()?.seq))

  /** The number of a session that is new here. */
  const added = (session: string): number | undefined => {
    const number = lastSeq() + 1
    return sql.addSession.run(session, number).changes === 1 ? number : undefined
  }

  const found = (session: string) => {
    const row = sql.place.get(session)
    return { number: Number(row?.number ?? 0), head: Number(row?.head ?? 0) }
  }

  return {
    /** The number of a session whose head is as expected, to append to it next; otherwise throws Conflict. */
    place(session: string, expected: number): number {
      const known = standing.place(session)
      const fresh = known === undefined && expected === 0 ? added(session) : undefined
      if (fresh !== undefined) return fresh
      const { number, head } = known ?? found(session)
      if (head !== expected) throw new Conflict(head)
      return number
    },
    append(session: string, number: number, texts: readonly string[]): number {
      const head = lastSeq() + texts.length
      sql.append.run(head, number, session, texts.join('\n'))
      standing.appended(session, { number, head })
      return head
    },
    read(session: string, after: number, limit: number, maxCharacters = Infinity): StoredEvent[] {
      const events: StoredEvent[] = []
      let characters = 0
      const { read } = sql
      const rows = maxCharacters === Infinity ? read.all(session, after, limit) : read.iterate(session, after, limit)
      for (const { seq, text } of linesAfter(after, rows)) {
        characters += text.length
        if ((characters > maxCharacters && events.length > 0) || events.length === limit) break
        events.push({ seq, data: JSON.parse(text) })
      }
      return events
    },
    wake,
    claimable,
    nextDue(): number | undefined {
      const at = numberIn(sql.nextDue.get()?.at)
      const first = numberIn(sql.leases.get()?.first)
      return first === undefined ? at : Math.min(time.end(first), at ?? Infinity)
    },
    /** Whether anything lies ahead that was written before the clock was set back; looking costs no write lock. */
    isAhead: (now: number): boolean => sql.isAhead.get(now)?.ahead === 1,
    /** Leases run for as long as they may from now on, in which a holder that lives renews its own; wakes fall due. */
    bringBack(now: number): void {
      sql.cutLeases.run(now)
      sql.cutWakes.run(now)
    },
    /** Leases the session that is due, if there still is one; its wake is used up. */
    claim(owner: string, now: number, leaseMs: number): string | undefined {
      const session = claimable(now)
      if (session === undefined) return undefined
      sql.clearWake.run(session)
      sql.setLease.run(session, owner, now + leaseMs, leaseMs)
      return session
    },
    /** Leases this session if it is free; its wake is used up. */
    lease(session: string, owner: string, now: number, leaseMs: number): boolean {
      const isMine = sql.takeLease.run(session, owner, now + leaseMs, leaseMs, time.now(longest)).changes === 1
      if (isMine) sql.clearWake.run(session)
      return isMine
    },
    renew: (session: string, owner: string, until: number): boolean =>
      sql.renew.run(session, owner, until).changes === 1,
    /** True when there may be something to claim that was not there before. */
    release(session: string, owner: string, now: number, nextWakeAt?: number): boolean {
      if (sql.release.run(session, owner).changes === 0) return false
      if (nextWakeAt !== undefined) wake(session, nextWakeAt, now)
      return nextWakeAt !== undefined || sql.isAwake.get(session) !== undefined
    },
    bind(key: string, value: string, at: number): string {
      const isMine = sql.bind.run(key, value, Math.floor(at)).changes === 1
      return isMine ? value : String(sql.get.get(key)?.value)
    },
    list: (prefix: string, after: string, limit: number): BoundKey[] =>
      sql.list
        .all(prefix, `${prefix}\u{10FFFF}`, after, limit)
        .map((row) => ({ key: String(row.key), value: String(row.value), at: Number(row.at) })),
    unbind: (key: string): void => void sql.unbind.run(key),
    saveSnapshot: (session: string, seq: number, foldVersion: number, state: string): void =>
      void sql.saveSnapshot.run(session, seq, foldVersion, state),
    loadSnapshot(session: string): { seq: number; foldVersion: number; state: unknown } | undefined {
      const row = sql.loadSnapshot.get(session)
      return (
        row && { seq: Number(row.seq), foldVersion: Number(row.fold_version), state: JSON.parse(String(row.state)) }
      )
    },
    /** In place of its snapshot there is an empty one from now on, so that no process restores an earlier one. */
    erase(session: string, events: readonly { readonly seq: number; readonly text: string }[]): void {
      for (const { seq, text } of events) {
        const row = sql.read.get(session, seq - 1, 1)
        const lines = row === undefined ? [] : linesOf(row)
        if (row === undefined || lines.every((line) => line.seq !== seq)) continue
        sql.erase.run(row.seq ?? 0, lines.map((line) => (line.seq === seq ? text : line.text)).join('\n'))
      }
      const head = sql.place.get(session)?.head
      if (head !== undefined) sql.saveSnapshot.run(session, head, 0, '')
    },
    /** Writes enough of it that a full disk shows. */
    probe: (): void => void sql.probe.run(probeKey, 'x'.repeat(probeCharacters)),
    forgetProbe: (): void => void sql.unbind.run(probeKey),
    /** Outside of a transaction; false when another process still reads from the journal. */
    emptyJournal: (): boolean => Number(sql.emptyJournal.get()?.busy) === 0,
    drop(session: string): void {
      standing.forget()
      // No seq is given twice, not even that of an event that is gone: an empty row keeps the last one.
      sql.forgetKept.run(sql.keepLastSeq.run().lastInsertRowid)
      const all = [sql.dropEvents, sql.dropSession, sql.dropSnapshot, sql.clearWake, sql.clearLease]
      for (const statement of all) statement.run(session)
    },
  }
}

interface Line {
  readonly seq: number
  readonly text: string
}

function numberIn(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}

/** The events of one append. */
function linesOf(row: Record<string, unknown>): Line[] {
  const texts = String(row.data).split('\n')
  const first = Number(row.seq) - texts.length + 1
  return texts.map((text, index) => ({ seq: first + index, text }))
}

function* linesAfter(after: number, rows: Iterable<Record<string, unknown>>): Generator<Line> {
  for (const row of rows) for (const line of linesOf(row)) if (line.seq > after) yield line
}
