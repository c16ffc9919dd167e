import { hostname } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import type { Runtime } from '@cool-ai/beach-core'
import type { StoreProcess } from '@cool-ai/beach-core/ports'
import { isBusy, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import { leaveAtExit } from './leave-at-exit.ts'
import { hasEnded, ownBirth } from './process-birth.ts'
import type { WriteQueue } from './write-queue.ts'

/** What happened in another process that has the same file open. */
export interface OtherProcessEvents {
  appended(session: string): void
  live(session: string, live: unknown): void
  /** Wakes or leases may have changed. */
  due(): void
}

/** A process, and when it has last said that it is there. */
interface Seen {
  readonly id: string
  readonly seen: number
}

/** What a record of a process says of it. */
interface Recorded {
  readonly process: string
  readonly pid?: number | undefined
  readonly host?: string | undefined
  readonly birth?: string | undefined
}

const pollMs = 25
const heartbeatMs = 1_000
const presentMs = 3_000
const liveKeptMs = 5_000
const birthMark = 'born:'

/**
 * Other processes on the same file. SQLite has no notifications, so a counter that changes with every foreign commit is
 * looked at often; live frames travel through a table, but only while another process reads them.
 */
export class OtherProcesses {
  /** The id of this process, which its leases begin with. */
  readonly id: string
  readonly #runtime: Runtime
  readonly #file: SqliteFile
  readonly #queue: WriteQueue
  readonly #news: OtherProcessEvents
  /** With the machine and the process id, which operators are shown. */
  readonly #me: string
  readonly #sql: ReturnType<typeof prepare>
  #dataVersion: unknown
  #lastSeq: number
  #lastLive: number
  #present = 0
  #outbox: { session: string; text: string }[] = []
  #stay = () => {}
  #cancelPoll = () => {}
  #cancelHeartbeat = () => {}
  /** Processes of before whose journal was there when this one opened the file. */
  #recovered: readonly Seen[] = []
  /** Whether processes that are silent may have lost their journal, or are only slow. */
  #isUnsure = false
  #cancelUnsure = () => {}

  constructor(file: SqliteFile, queue: WriteQueue, runtime: Runtime, news: OtherProcessEvents) {
    this.#runtime = runtime
    this.#file = file
    this.#queue = queue
    this.#news = news
    this.id = runtime.id('proc')
    this.#me = [this.id, process.pid, hostname(), ...(ownBirth === undefined ? [] : [`${birthMark}${ownBirth}`])].join(
      '~',
    )
    this.#sql = prepare(file.db)
    this.#dataVersion = this.#sql.dataVersion.get()?.data_version
    this.#lastSeq = Number(this.#sql.lastSeq.get()?.last)
    this.#lastLive = Number(this.#sql.lastLive.get()?.last)
  }

  /**
   * Tells when a process that began before has not closed the file in order, and its journal is lost. A journal that is
   * there but empty may be that of a living process, all copied into the file: such a process writes again soon.
   */
  lookForUnfinished(before: number, tell: () => void): void {
    const { journalBefore } = this.#file
    const found = this.#sql.earlier.all(before).map(({ id, seen }) => ({ id: String(id), seen: Number(seen) }))
    if (found.length === 0) return
    if (journalBefore === 'filled') {
      this.#recovered = found
      return
    }
    if (journalBefore !== 'empty') {
      tell()
      void this.#forgetSilent(found)
      return
    }
    this.#isUnsure = true
    this.#cancelUnsure = this.#runtime.clock.timer(presentMs, () => {
      this.#isUnsure = false
      void this.#forgetSilent(found).then((isSilent) => isSilent && tell())
    })
  }

  /** Forgets those of these processes that have written nothing since. False when there are none. */
  async #forgetSilent(found: readonly Seen[]): Promise<boolean> {
    const forget = () => found.filter(({ id, seen }) => this.#sql.forget.run(id, seen).changes === 1)
    const silent = await this.#queue.write(forget, { durable: false }).catch(() => [])
    return silent.length > 0
  }

  start(): void {
    this.#poll()
    // A program that ends without closing the store has lost nothing: SQLite copies its journal into the file.
    this.#stay = leaveAtExit(() => {
      this.#sql.endLeases.run(`${this.id}~`)
      this.#sql.leave.run(this.#me)
    })
    // Into the file itself, which then shows that this process is here even when its journal is lost.
    void this.#heartbeat().then(() => this.#emptyJournal())
  }

  /** Ends the polling; the other processes learn it at once instead of by a timeout. */
  stop(): void {
    this.#stay()
    this.#cancelPoll()
    this.#cancelHeartbeat()
    this.#cancelUnsure()
    // Their journal was there: once it goes with this process, they must not look as if it had been lost.
    void this.#forgetSilent(this.#recovered)
    void this.#queue.write(() => this.#sql.leave.run(this.#me), { durable: false }).catch(() => {})
  }

  /** All processes that have said lately that they are here. */
  list(): StoreProcess[] {
    return this.#sql.all.all().map(({ id, seen }) => {
      const { process: name, pid, host } = readRecord(String(id))
      return { id: name, seenAt: Number(seen), ...(pid !== undefined && { pid, host }) }
    })
  }

  /** True when no other process is there. */
  get areNone(): boolean {
    return this.#present === 0
  }

  publish(session: string, live: unknown): void {
    if (this.#present === 0) return
    this.#outbox.push({ session, text: JSON.stringify(live) })
    if (this.#outbox.length > 1) return
    const write = () => {
      const at = this.#runtime.clock.now()
      for (const { session: to, text } of this.#outbox.splice(0)) this.#sql.addLive.run(this.#me, to, text, at)
    }
    // Lossy by contract: a frame that cannot be written is not tried again.
    void this.#queue.write(write, { durable: false }).catch(() => {})
  }

  #countPresent(): void {
    const now = this.#runtime.clock.now()
    this.#present = Number(this.#sql.present.get(this.#me, now - presentMs, now + presentMs)?.count)
  }

  /** Leases of a process that was killed on this machine end at once: no one waits until they have run out. */
  #endLeases(): boolean {
    let isAny = false
    for (const { id } of this.#sql.others.all(this.#me)) {
      const { process: name, pid, birth } = readRecord(String(id))
      if (pid === undefined || birth === undefined || !hasEnded(pid, birth)) continue
      if (this.#sql.endLeases.run(`${name}~`).changes > 0) isAny = true
    }
    return isAny
  }

  #emptyJournal(): void {
    if (this.#file.look() !== undefined) return
    try {
      this.#sql.checkpoint.get()
    } catch {
      // The store was closed at once, or the file is busy: the next checkpoint does it.
    }
  }

  async #heartbeat(): Promise<void> {
    const { clock } = this.#runtime
    this.#cancelHeartbeat = clock.timer(heartbeatMs, () => void this.#heartbeat())
    const now = clock.now()
    const write = () => {
      this.#sql.arrive.run(this.#me, now)
      const isLeaseOver = this.#endLeases()
      // A process that was killed sends nothing: it is gone when it has been silent for long enough.
      this.#countPresent()
      if (!this.#isUnsure) this.#sql.forgetProcesses.run(now - presentMs, now + presentMs)
      this.#sql.forgetLive.run(now - liveKeptMs, now + liveKeptMs)
      return isLeaseOver
    }
    const isLeaseOver = await this.#queue.write(write, { durable: false }).catch(() => false)
    if (isLeaseOver) this.#news.due()
  }

  #poll(): void {
    this.#cancelPoll = this.#runtime.clock.timer(pollMs, () => this.#poll())
    try {
      const version = this.#sql.dataVersion.get()?.data_version
      // Each heartbeat looks at the file too: it is a write.
      if (version === this.#dataVersion || this.#file.look() !== undefined) return
      this.#countPresent()
      this.#readNews()
      this.#dataVersion = version
    } catch (error) {
      // What is missed now is read at the next change.
      if (!isBusy(error) && this.#file.look() === undefined)
        this.#runtime.logger.log('error', 'reading what other processes did failed', { error })
    }
  }

  #readNews(): void {
    const sessions = new Set<string>()
    for (const row of this.#sql.appended.all(this.#lastSeq)) {
      this.#lastSeq = Number(row.seq)
      sessions.add(String(row.session))
    }
    for (const session of sessions) this.#news.appended(session)
    for (const row of this.#sql.readLive.all(this.#lastLive)) {
      this.#lastLive = Number(row.n)
      if (row.sender !== this.#me) this.#news.live(String(row.session), JSON.parse(String(row.data)))
    }
    this.#news.due()
  }
}

function readRecord(id: string): Recorded {
  const [name = '', pid, ...more] = id.split('~')
  if (pid === undefined) return { process: name }
  const birth = more.at(-1)?.startsWith(birthMark) === true ? more.pop()?.slice(birthMark.length) : undefined
  return { process: name, pid: Number(pid), host: more.join('~'), birth }
}

function prepare(db: DatabaseSync) {
  return {
    dataVersion: db.prepare('PRAGMA data_version'),
    lastSeq: db.prepare('SELECT coalesce(max(seq), 0) AS last FROM event'),
    lastLive: db.prepare('SELECT coalesce(max(n), 0) AS last FROM live'),
    checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
    earlier: db.prepare('SELECT id, seen FROM neighbour WHERE seen < ?'),
    all: db.prepare('SELECT id, seen FROM neighbour ORDER BY id'),
    others: db.prepare('SELECT id FROM neighbour WHERE id <> ?'),
    forget: db.prepare('DELETE FROM neighbour WHERE id = ? AND seen = ?'),
    present: db.prepare('SELECT count(*) AS count FROM neighbour WHERE id <> ? AND seen > ? AND seen < ?'),
    appended: db.prepare('SELECT seq, session FROM event WHERE seq > ? ORDER BY seq'),
    readLive: db.prepare('SELECT n, sender, session, data FROM live WHERE n > ? ORDER BY n'),
    addLive: db.prepare('INSERT INTO live (sender, session, data, at) VALUES (?, ?, ?, ?)'),
    // What lies ahead was written before the clock was set back.
    forgetLive: db.prepare('DELETE FROM live WHERE at < ? OR at > ?'),
    arrive: db.prepare(
      'INSERT INTO neighbour (id, seen) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen',
    ),
    leave: db.prepare('DELETE FROM neighbour WHERE id = ?'),
    endLeases: db.prepare('UPDATE lease SET until = 0 WHERE until > 0 AND substr(owner, 1, length(?1)) = ?1'),
    forgetProcesses: db.prepare('DELETE FROM neighbour WHERE seen < ? OR seen > ?'),
  }
}
