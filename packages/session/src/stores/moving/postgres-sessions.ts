import {
  encodeKey,
  escapeNull,
  namedStatements,
  unescapeNull,
  type Statement,
  type Transaction,
} from '@cool-ai/beach-core/postgres'
import { nextPlace, type SessionPlace, type SessionRecord } from './session-records.ts'

type Rows = Transaction['rows']

const pageSize = 200

/** Gives everything that the session store in a schema holds. */
export async function readPostgresSessions(
  rows: Rows,
  schema: string,
  take: (record: SessionRecord) => Promise<void>,
): Promise<void> {
  const sql = statements(schema)
  for (let after = ''; ;) {
    const page = await rows(sql.keys, [after, pageSize])
    for (const { key, value, at, long } of page) {
      await take({
        kind: 'key',
        key: unescapeNull(String(long ?? key)),
        value: unescapeNull(String(value)),
        at: Number(at),
      })
    }
    if (page.length < pageSize) break
    after = String(page.at(-1)?.key)
  }
  for (let after = ''; ;) {
    const page = await rows(sql.sessions, [after, pageSize])
    for (const session of page) await readSession(rows, sql.events, session, take)
    if (page.length < pageSize) break
    after = String(page.at(-1)?.session)
  }
}

async function readSession(
  rows: Rows,
  events: Statement,
  session: Readonly<Record<string, unknown>>,
  take: (record: SessionRecord) => Promise<void>,
): Promise<void> {
  const { wake, since, owner } = session
  const [first, head, last] = [Number(session.first), Number(session.head), Number(session.last)]
  const record = { kind: 'session', id: unescapeNull(String(session.session)), first, head } as const
  if (last < head) return take({ ...record, isDropped: true })
  // What a host ran when it was read is to be looked at by the next one at once.
  const due = owner === null ? wake : 0
  const isWaiting = due !== null && due !== undefined
  await take(isWaiting ? { ...record, wake: { at: Number(due), since: Number(since ?? 0) } } : record)
  for (let after = -1; ;) {
    const page = await rows(events, [session.session, after, pageSize])
    for (const { seq, data } of page) {
      const texts = String(data).split('\n')
      await take({ kind: 'events', seq: Number(seq), events: texts.map((text) => JSON.parse(text)) })
    }
    if (page.length < pageSize) break
    after = Number(page.at(-1)?.seq)
  }
}

/** Writes records of another store, each kind in one statement. */
export async function writePostgresSessions(
  rows: Rows,
  schema: string,
  records: readonly SessionRecord[],
  place: SessionPlace,
): Promise<SessionPlace> {
  const sql = statements(schema)
  const keys: unknown[][] = [[], [], [], []]
  const sessions: unknown[][] = [[], [], []]
  const events: unknown[][] = [[], [], [], []]
  const add = (columns: unknown[][], values: readonly unknown[]) =>
    values.forEach((value, index) => columns[index]?.push(value))
  let now = place
  for (const record of records) {
    now = nextPlace(now, record, false)
    if (record.kind === 'key') {
      const key = encodeKey(record.key)
      const long = key.length < record.key.length ? escapeNull(record.key) : null
      add(keys, [key, escapeNull(record.value), record.at, long])
    } else if (record.kind === 'events') {
      const texts = record.events.map((event) => JSON.stringify(event))
      const last = record.seq + texts.length - 1
      add(events, [encodeKey(now.session ?? ''), record.seq, last, texts.join('\n')])
    } else if (record.kind === 'session') {
      const id = encodeKey(record.id)
      if (record.isDropped === true) add(events, [id, record.head, record.head - 1, ''])
      else if (record.wake !== undefined) add(sessions, [id, record.wake.at, record.wake.since])
    }
  }
  if (keys[0]?.length) await rows(sql.addKeys, keys)
  if (sessions[0]?.length) await rows(sql.addSessions, sessions)
  if (events[0]?.length) await rows(sql.addEvents, events)
  return now
}

/** Whether a schema has neither sessions nor keys. */
export async function isPostgresEmpty(rows: Rows, schema: string): Promise<boolean> {
  const [row] = await rows(statements(schema).isEmpty)
  return row?.empty === true
}

/** The value of a key, locked until the transaction ends. */
export async function lockedKey(rows: Rows, schema: string, key: string): Promise<string | undefined> {
  const [row] = await rows(statements(schema).lock, [key])
  return row && String(row.value)
}

/** Puts a value under a key in PostgreSQL. */
export async function setKey(rows: Rows, schema: string, key: string, value: string): Promise<void> {
  await rows(statements(schema).set, [key, value])
}

function statements(schema: string) {
  const texts = {
    keys: `SELECT key, value, at, long FROM ${schema}.key WHERE key > $1 ORDER BY key LIMIT $2`,
    sessions: `
      SELECT page.session, wake, since, owner, first, head, last FROM (
        SELECT session, min(seq) AS first FROM ${schema}.event WHERE session > $1
        GROUP BY session ORDER BY session LIMIT $2) AS page
      CROSS JOIN LATERAL (
        SELECT greatest(seq, last) AS head, last FROM ${schema}.event
        WHERE event.session = page.session ORDER BY seq DESC LIMIT 1) AS newest
      LEFT JOIN ${schema}.session ON session.session = page.session ORDER BY page.session`,
    events: `SELECT seq, data FROM ${schema}.event WHERE session = $1 AND seq > $2 AND last >= seq ORDER BY seq LIMIT $3`,
    addKeys: `
      INSERT INTO ${schema}.key (key, value, at, long)
      SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) ON CONFLICT DO NOTHING`,
    addSessions: `
      INSERT INTO ${schema}.session (session, due, wake, since)
      SELECT id, at, at, since FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS moved (id, at, since)`,
    addEvents: `
      INSERT INTO ${schema}.event (session, seq, last, data)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])`,
    isEmpty: `SELECT NOT EXISTS (SELECT FROM ${schema}.event) AND NOT EXISTS (SELECT FROM ${schema}.key) AS empty`,
    lock: `SELECT value FROM ${schema}.key WHERE key = $1 FOR UPDATE`,
    set: `
      INSERT INTO ${schema}.key (key, value, at) VALUES ($1, $2, 0)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  }
  return namedStatements('moving', texts)
}
