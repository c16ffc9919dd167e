import type { DatabaseSync } from 'node:sqlite'
import { Conflict, type BoundKey, type HeldLease, type StoredEvent } from '@cool-ai/beach-core/ports'
import { LruMap } from '@cool-ai/beach-core/runtime'
import type { LeaseTime } from '../lease-time.ts'

const probeKey = 'readiness'
const probeCharacters = 32_000
const maxHeads = 1_000

/** Where a session's events are: its number, and the seq of the last one. */
interface LogHead {
  readonly number: number
  readonly head: number
}

export type Statements = ReturnType<typeof statements>

/** Every statement of the store, prepared once, as plain functions. Those that write are called inside a transaction. */
export function statements(db: DatabaseSync, time: LeaseTime) {
  const sql = {
    dataVersion: db.prepare('PRAGMA data_version'),
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
      `SELECT (SELECT min(until) FROM lease) AS lease,
         (SELECT at FROM wake WHERE NOT EXISTS (SELECT 1 FROM lease WHERE lease.session = wake.session)
          ORDER BY at LIMIT 1) AS wake`,
    ),
    longest: db.prepare('SELECT max(ms) AS ms FROM lease'),
    // Records by a clock that has been set back since. For a wake it is what `isOver` says of it.
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
    leases: db.prepare('SELECT session, owner, until FROM lease ORDER BY until LIMIT ?'),
    clearLease: db.prepare('DELETE FROM lease WHERE session = ?'),
    bind: db.prepare('INSERT INTO key (key, value, at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING'),
    get: db.prepare('SELECT value FROM key WHERE key = ?'),
    list: db.prepare(
      'SELECT key, value, at FROM key WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key LIMIT ?4 + 0',
    ),
    unbind: db.prepare('DELETE FROM key WHERE key = ?'),
    replace: db.prepare('UPDATE key SET value = ?3 WHERE key = ?1 AND value = ?2'),
    logs: db.prepare('SELECT id FROM session WHERE id > ? ORDER BY id LIMIT ? + 0'),
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
  }

  const longest = () => Number(sql.longest.get()?.ms)

  /** What this process has written last is not looked up again, as long as no other process has written since. */
  let heads = new LruMap<LogHead>(maxHeads)
  let lastSeq: number | undefined
  let dataVersion: unknown

  /** What was written is not there after all, or differs from what was known here. */
  const forget = () => {
    heads = new LruMap(maxHeads)
    lastSeq = undefined
  }

  const wake = (session: string, at: number, now: number): void =>
    void sql.wake.run(session, Math.floor(Math.max(at, now)), Math.floor(now))

  const nextSeq = () => (lastSeq ??= Number(sql.lastSeq.get()?.seq)) + 1

  return {
    /** A transaction has begun. SQLite counts the commits of others, and until its end there are none. */
    begun(): void {
      const version = sql.dataVersion.get()?.data_version
      if (version !== dataVersion) forget()
      dataVersion = version
    },
    forget,
    /** The number of a session whose head is as expected, to append to it next; otherwise throws Conflict. */
    place(session: string, expected: number): number {
      const known = heads.get(session)
      if (known === undefined && expected === 0) {
        const number = nextSeq()
        if (sql.addSession.run(session, number).changes === 1) return number
      }
      const { number, head } = known ?? sql.place.get(session) ?? {}
      if (Number(head ?? 0) !== expected) throw new Conflict(Number(head ?? 0))
      return Number(number ?? 0)
    },
    append(session: string, number: number, texts: readonly string[]): number {
      const head = nextSeq() + texts.length - 1
      sql.append.run(head, number, session, texts.join('\n'))
      heads.set(session, { number, head })
      lastSeq = head
      return head
    },
    read(session: string, after: number, limit: number, maxCharacters = Infinity): StoredEvent[] {
      const events: StoredEvent[] = []
      let characters = 0
      const { read } = sql
      // A row is an append of several events: with a limit, most of that many rows would be read for nothing.
      const isAll = maxCharacters === Infinity && limit < 2
      const rows = isAll ? read.all(session, after, limit) : read.iterate(session, after, limit)
      for (const row of rows) {
        for (const { seq, text } of linesOf(row)) {
          if (seq <= after) continue
          characters += text.length
          if ((characters > maxCharacters && events.length > 0) || events.length === limit) return events
          events.push({ seq, data: JSON.parse(text) })
        }
      }
      return events
    },
    wake,
    /** When the next session can be claimed, as far as that is known: `-Infinity` at once, `Infinity` without one. */
    nextDue(now: number): number {
      const { lease, wake: at } = sql.nextDue.get() ?? {}
      const due = Number(at ?? Infinity)
      const until = Number(lease ?? Infinity)
      if (due <= now || until <= time.now(longest)) return -Infinity
      return until === Infinity ? due : Math.min(due, time.end(until))
    },
    /** Whether anything lies ahead that was written before the clock was set back; looking costs no write lock. */
    isAhead: (now: number): boolean => sql.isAhead.get(now)?.ahead === 1,
    /** Leases run for their full time from now on, in which a living holder renews its own; wakes fall due. */
    bringBack(now: number): void {
      sql.cutLeases.run(now)
      sql.cutWakes.run(now)
    },
    /** Leases the session that is due, if there still is one; its wake is used up. */
    claim(owner: string, now: number, leaseMs: number): string | undefined {
      const row = sql.abandoned.get(time.now(longest)) ?? sql.due.get(now)
      if (row === undefined) return undefined
      const session = String(row.session)
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
    leases: (limit: number): HeldLease[] =>
      sql.leases.all(limit).map(({ session, owner, until }) => {
        const [holder, lease] = String(owner).split('~')
        return { session: String(session), until: Number(until), process: lease === undefined ? undefined : holder }
      }),
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
    replace: (key: string, from: string, to: string): boolean => sql.replace.run(key, from, to).changes === 1,
    logs: (after: string, limit: number): string[] => sql.logs.all(after, limit).map(({ id }) => String(id)),
    saveSnapshot: (session: string, seq: number, foldVersion: number, state: string): void =>
      void sql.saveSnapshot.run(session, seq, foldVersion, state),
    loadSnapshot(session: string): { seq: number; foldVersion: number; state: unknown } | undefined {
      const row = sql.loadSnapshot.get(session)
      return (
        row && { seq: Number(row.seq), foldVersion: Number(row.fold_version), state: JSON.parse(String(row.state)) }
      )
    },
    /** An empty snapshot replaces it from now on, so that no process restores an earlier one. */
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
    /** Writes enough that a full disk shows. */
    probe: (): void => void sql.probe.run(probeKey, 'x'.repeat(probeCharacters)),
    forgetProbe: (): void => void sql.unbind.run(probeKey),
    drop(session: string): void {
      forget()
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

/** The events of one append. */
function linesOf(row: Record<string, unknown>): Line[] {
  const texts = String(row.data).split('\n')
  const first = Number(row.seq) - texts.length + 1
  return texts.map((text, index) => ({ seq: first + index, text }))
}
