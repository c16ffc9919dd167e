import { createHash } from 'node:crypto'
import type { Client } from 'pg'

const schema = 'beach_bench'
const sessionsOfPerson = 10
const chunks = 8

/** A session that an agent has stored. */
interface StoredSession {
  readonly session: string
  readonly person: string
}

/** The n-th copy. Ids begin with the time at which they were made; these are older than the agent's own. */
export function storedSession(n: number): StoredSession {
  return { session: `sess_${idOf(n)}`, person: `anon_${idOf(Math.floor(n / sessionsOfPerson))}` }
}

function idOf(n: number): string {
  return `7${String(n).padStart(7, '0')}${createHash('md5').update(String(n)).digest('hex').slice(0, 18)}`
}

function sqlIdOf(prefix: string, n: string): string {
  return `'${prefix}7' || lpad((${n})::text, 7, '0') || left(md5((${n})::text), 18)`
}

/**
 * Fills the tables of an agent with copies of its one session, in the database itself, each under an id of its own. A
 * person has ten of them, and one in eight has a wake far ahead. Resolves with the seq of their last event.
 */
export async function storeSessions(clients: readonly Client[], count: number): Promise<number> {
  const [client] = clients
  if (client === undefined) throw new Error('There is no connection.')
  const model = await modelOf(client)
  const indexes = await extraIndexes(client)
  // A whole index is made faster than row by row.
  for (const { name } of indexes) await client.query(`DROP INDEX ${schema}.${name}`)
  const statements = await copying(client, model, count)
  await Promise.all(clients.map((each) => each.query('SET synchronous_commit = off')))
  await runAll(clients, statements)
  await runAll(
    clients,
    indexes.map(({ definition }) => definition),
  )
  const year = `(extract(epoch FROM now()) * 1000)::bigint + 31536000000`
  await client.query(
    `UPDATE ${schema}.session SET due = ${year}, wake = ${year}, since = ${year} - 31536000000
     WHERE right(session, 1) IN ('0', '1')`,
  )
  // What autovacuum would do by and by.
  await client.query('VACUUM (ANALYZE)')
  await client.query('CHECKPOINT')
  const { rows } = await client.query(`SELECT max(last)::integer AS head FROM ${schema}.event WHERE session = $1`, [
    model.session,
  ])
  return (rows[0] as { head: number }).head
}

/** Statements that the connections share. */
async function runAll(clients: readonly Client[], statements: readonly string[]): Promise<void> {
  const left = [...statements]
  await Promise.all(
    clients.map(async (client) => {
      for (let text = left.shift(); text !== undefined; text = left.shift()) await client.query(text)
    }),
  )
}

/** Indexes besides the keys, of tables without partitions. */
async function extraIndexes(client: Client): Promise<{ readonly name: string; readonly definition: string }[]> {
  const { rows } = await client.query(
    `SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class ON oid = indexrelid
     WHERE relnamespace = $1::regnamespace AND NOT indisprimary AND relkind = 'i' AND NOT relispartition`,
    [schema],
  )
  return rows as { name: string; definition: string }[]
}

async function modelOf(client: Client): Promise<StoredSession> {
  const { rows } = await client.query(`SELECT key, value FROM ${schema}.key WHERE key LIKE 'session:%'`)
  const [{ key = '', value = '' } = {}] = rows as { key?: string; value?: string }[]
  const [, person = ''] = /~([^:]+):/.exec(key) ?? []
  return { session: value, person }
}

/** Statements that copy every row of a session, in all tables that have one. */
async function copying(client: Client, { session, person }: StoredSession, count: number): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT table_name AS table, array_agg(column_name::text) AS columns, array_agg(data_type::text) AS types
     FROM information_schema.columns JOIN pg_class ON oid = format('%I.%I', table_schema, table_name)::regclass
     WHERE table_schema = $1 AND NOT relispartition AND is_identity = 'NO' GROUP BY table_name
     HAVING bool_or(column_name = 'session' AND data_type = 'text') OR table_name = 'key'`,
    [schema],
  )
  const copied = (column: string, type: string) => {
    if (type === 'uuid') return `md5(${column}::text || n)::uuid`
    if (type !== 'text') return column
    const named = `replace(${column}, '${session}', ${sqlIdOf('sess_', 'n')})`
    return `replace(${named}, '${person}', ${sqlIdOf('anon_', `n / ${sessionsOfPerson}`)})`
  }
  return (rows as { table: string; columns: string[]; types: string[] }[]).flatMap(({ table, columns, types }) => {
    const values = columns.map((column, index) => copied(column, types[index] ?? ''))
    const own = `SELECT * FROM ${schema}.${table} WHERE ${table === 'key' ? 'value' : 'session'} = '${session}'`
    return ranges(count).map(
      ([from, to]) =>
        `INSERT INTO ${schema}.${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
         FROM generate_series(${from}, ${to}) AS n CROSS JOIN LATERAL (${own} OFFSET 0) AS own`,
    )
  })
}

/** The numbers from 1 to a count, in pieces that connections can share. */
function ranges(count: number): [from: number, to: number][] {
  const size = Math.ceil(count / chunks)
  return Array.from({ length: chunks }, (_, index): [number, number] => [
    index * size + 1,
    Math.min((index + 1) * size, count),
  ])
}
