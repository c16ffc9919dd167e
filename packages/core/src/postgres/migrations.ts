import { sleep, systemClock } from '../clock.ts'
import { BeachError } from '../errors.ts'
import { keepAlive } from '../keep-alive.ts'
import type { Connection } from './connection.ts'
import { codeOf, toStoreError } from './postgres-errors.ts'

/**
 * One step of a schema, never changed once it was released. A step adds (expands); what older programs still use is
 * removed (contracted) by a later one, whose `compatibleFrom` is the lowest version that a program may have then.
 */
export interface Migration {
  readonly version: number
  /** The statements; `schema` is the name of the schema. */
  readonly sql: (schema: string) => string
  readonly compatibleFrom?: number | undefined
}

/** The tables of one store: its name, and the steps that lead to them. */
export interface Component {
  readonly name: string
  readonly migrations: readonly Migration[]
}

interface Installed {
  readonly version: number
  readonly compatibleFrom: number
}

const missing: ReadonlySet<string> = new Set(['42P01', '3F000'])
const notFree = '55P03'
// A query of a table waits behind a step that waits for it: the step gives up soon, and lets queries through.
const lockMs = 2_000
const maxTries = 30
const pauseMs = 1_000

/** Brings the tables of a component up to date, once, however many processes try at the same time. */
export async function migrate(client: Connection, schema: string, component: Component): Promise<void> {
  const wanted = component.migrations.at(-1)?.version ?? 0
  const before = await installed(client, schema, component)
  refuseNewer(before, wanted, component)
  if (before.version >= wanted) return
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(client, schema, component)
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      if (codeOf(error) === '42501') throw lacksRights(schema, component, wanted, error)
      if (codeOf(error) !== notFree || tries === maxTries) throw toStoreError(error)
    }
    await keepAlive(sleep(systemClock, pauseMs))
  }
}

async function migrateOnce(client: Connection, schema: string, component: Component): Promise<void> {
  const wanted = component.migrations.at(-1)?.version ?? 0
  await client.query('BEGIN')
  await client.query(`SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0`)
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`beach migration of ${schema}`])
  await client.query(`SET LOCAL lock_timeout = ${lockMs}`)
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.migration (
         component text PRIMARY KEY, version integer NOT NULL, compatible_from integer NOT NULL,
         at timestamptz NOT NULL DEFAULT now())`,
  )
  // Another process may have done it while this one waited for the lock.
  const now = await installed(client, schema, component)
  refuseNewer(now, wanted, component)
  for (const step of component.migrations.filter(({ version }) => version > now.version)) {
    await client.query(step.sql(schema))
    await client.query(
      `INSERT INTO ${schema}.migration (component, version, compatible_from) VALUES ($1, $2, $3)
         ON CONFLICT (component) DO UPDATE SET version = excluded.version, at = now(),
           compatible_from = greatest(migration.compatible_from, excluded.compatible_from)`,
      [component.name, step.version, step.compatibleFrom ?? 1],
    )
  }
  await client.query('COMMIT')
}

/** Rejects when a newer program has removed what this one needs. */
export async function checkVersion(
  client: Pick<Connection, 'query'>,
  schema: string,
  component: Component,
): Promise<void> {
  refuseNewer(await installed(client, schema, component), component.migrations.at(-1)?.version ?? 0, component)
}

async function installed(client: Pick<Connection, 'query'>, schema: string, { name }: Component): Promise<Installed> {
  try {
    // By its text, without a parameter: outside of a transaction it must not begin one that fails.
    const { rows } = await client.query(
      `SELECT version, compatible_from FROM ${schema}.migration WHERE component = '${name}'`,
    )
    const row = rows[0] as { version: number; compatible_from: number } | undefined
    return { version: row?.version ?? 0, compatibleFrom: row?.compatible_from ?? 0 }
  } catch (error) {
    if (missing.has(codeOf(error) ?? '')) return { version: 0, compatibleFrom: 0 }
    throw toStoreError(error)
  }
}

function refuseNewer(found: Installed, wanted: number, { name }: Component): void {
  if (found.compatibleFrom <= wanted) return
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `The tables of '${name}' have version ${found.version}, which programs older than version ${found.compatibleFrom} cannot use; this one has version ${wanted}. Start a newer version of Beach.`,
  )
}

function lacksRights(schema: string, { name }: Component, wanted: number, cause: unknown): BeachError {
  return new BeachError(
    'INVALID_CONFIGURATION',
    `The tables of '${name}' in the schema ${schema} must be brought to version ${wanted}, and this user may not do that. Run \`npx beach data migrate <url of the owner>\` first.`,
    { cause },
  )
}
