import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { DatabaseSync, openSqlite, type SqliteFile } from '@cool-ai/beach-core/sqlite'
import { prepareDatabase } from '../sqlite/schema.ts'
import { nextPlace, type SeqsOf, type SessionPlace, type SessionRecord } from './session-records.ts'

const schemaVersion = 4

/** Gives everything that a file of sessions holds, as it was when it began; processes may use the file meanwhile. */
export async function readSqliteSessions(path: string, take: (record: SessionRecord) => Promise<void>): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
  try {
    db.exec('BEGIN')
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    if (version !== schemaVersion) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `${path} has schema ${version}, this program reads ${schemaVersion}. Start the agent once with this version of Beach.`,
      )
    }
    for (const row of db.prepare(`SELECT key, value, at FROM key WHERE key <> 'readiness' ORDER BY key`).iterate()) {
      await take({ kind: 'key', key: String(row.key), value: String(row.value), at: Number(row.at) })
    }
    const events = db.prepare('SELECT seq, data FROM event WHERE number = ? ORDER BY seq')
    for (const row of db.prepare(sessions).iterate()) {
      if (row.head === null) continue
      await take(sessionOf(row))
      for (const { seq, data } of events.iterate(row.number as number)) {
        const texts = String(data).split('\n')
        await take({
          kind: 'events',
          seq: Number(seq) - texts.length + 1,
          events: texts.map((text) => JSON.parse(text)),
        })
      }
    }
    await take({ kind: 'highest', seq: Number(db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq ?? 0) })
  } finally {
    db.close()
  }
}

// What a host ran when it was read is to be looked at by the next one at once.
const sessions = `
  SELECT id, number, at, since, EXISTS (SELECT 1 FROM lease WHERE lease.session = id) AS leased,
    (SELECT max(seq) FROM event WHERE event.number = session.number) AS head
  FROM session LEFT JOIN wake ON wake.session = id ORDER BY id`

function sessionOf({ id, number, head, at, since, leased }: Record<string, unknown>): SessionRecord {
  const session = { kind: 'session', id: String(id), first: Number(number), head: Number(head) } as const
  if (leased === 1) return { ...session, wake: { at: 0, since: 0 } }
  return at === null ? session : { ...session, wake: { at: Number(at), since: Number(since) } }
}

/** A file that sessions of another store are written to. */
export class SqliteSessions {
  readonly #file: SqliteFile
  readonly #raises: boolean
  readonly #sql: ReturnType<typeof prepare>

  static async open(options: { path: string; runtime: Runtime; seqs: SeqsOf }): Promise<SqliteSessions> {
    const { path, runtime, seqs } = options
    const make = (db: DatabaseSync) => prepareDatabase(db, runtime.clock.now())
    const whenDamaged = 'Import into a new folder.'
    return new SqliteSessions(await openSqlite({ path, runtime, prepare: make, whenDamaged }), seqs === 'session')
  }

  private constructor(file: SqliteFile, raises: boolean) {
    this.#file = file
    this.#raises = raises
    this.#sql = prepare(file.db)
  }

  /** The value of a key. */
  get(key: string): Promise<string | undefined> {
    return this.#file.read(() => {
      const row = this.#sql.get.get(key)
      return row && String(row.value)
    })
  }

  isEmpty(): Promise<boolean> {
    return this.#file.read(() => this.#sql.isEmpty.get()?.empty === 1)
  }

  /** Writes records, and with them the value of a key, made of the place after them: all or nothing. */
  write(
    records: readonly SessionRecord[],
    place: SessionPlace,
    note: { readonly key: string; readonly value: (place: SessionPlace) => string },
  ): Promise<SessionPlace> {
    return this.#file.write(() => {
      let now = place
      for (const record of records) {
        now = nextPlace(now, record, this.#raises)
        this.#write(record, now)
      }
      this.#sql.set.run(note.key, note.value(now))
      return now
    })
  }

  #write(record: SessionRecord, place: SessionPlace): void {
    if (record.kind === 'key') this.#sql.bind.run(record.key, record.value, record.at)
    else if (record.kind === 'highest') this.#sql.keepSeq.run(place.highest)
    else if (record.kind === 'events') {
      const { session = '', number = 0, offset } = place
      const texts = record.events.map((event) => JSON.stringify(event))
      this.#sql.append.run(record.seq + texts.length - 1 + offset, number, session, texts.join('\n'))
    } else if (record.isDropped !== true) {
      this.#sql.addSession.run(record.id, place.number ?? 0)
      if (record.wake !== undefined) this.#sql.wake.run(record.id, record.wake.at, record.wake.since)
    }
  }

  close(): void {
    this.#file.close()
  }
}

function prepare(db: DatabaseSync) {
  return {
    get: db.prepare('SELECT value FROM key WHERE key = ?'),
    set: db.prepare('INSERT OR REPLACE INTO key (key, value) VALUES (?, ?)'),
    isEmpty: db.prepare(
      `SELECT NOT EXISTS (SELECT 1 FROM event) AND NOT EXISTS (SELECT 1 FROM key WHERE key <> 'readiness') AS empty`,
    ),
    bind: db.prepare('INSERT OR IGNORE INTO key (key, value, at) VALUES (?, ?, ?)'),
    addSession: db.prepare('INSERT INTO session (id, number) VALUES (?, ?)'),
    append: db.prepare('INSERT INTO event (seq, number, session, data) VALUES (?, ?, ?, ?)'),
    wake: db.prepare('INSERT INTO wake (session, at, since) VALUES (?, ?, ?)'),
    keepSeq: db.prepare(`INSERT OR IGNORE INTO event (seq, number, session, data) VALUES (?, 0, '', '')`),
  }
}
