import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { agentTable } from '../../agent-table.ts'
import { withDriver } from '../postgres-driver.ts'

/** True for the address of a database; anything else names a folder. Nothing of PostgreSQL is loaded for it. */
export function isUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** Opens a database, with the code of the stores in it. */
export async function openPostgres(url: string, runtime: Runtime) {
  const [core, session, missives] = await withDriver(() =>
    Promise.all([
      import('@cool-ai/beach-core/postgres'),
      import('@cool-ai/beach-session/postgres'),
      import('@cool-ai/beach-missives/postgres'),
    ]),
  )
  return { database: await core.PostgresDatabase.open({ url, runtime }), session, missives }
}

/** Brings the tables of all stores up to date; returns the name of their schema. */
export async function migrateData(url: string, runtime: Runtime): Promise<string> {
  const { database, session, missives } = await openPostgres(url, runtime)
  try {
    await useAll(database, session, missives)
    return database.schema
  } finally {
    await database.end()
  }
}

type Opened = Awaited<ReturnType<typeof openPostgres>>

export async function useAll(
  database: Opened['database'],
  session: Opened['session'],
  missives: Opened['missives'],
): Promise<void> {
  const { missiveTables, identityTables, artifactTables } = missives
  const { sessionTables, useTables } = session
  for (const component of [agentTable, sessionTables, useTables, missiveTables, identityTables, artifactTables]) {
    await database.use(component)
  }
}

/** The error of a schema without tables, as a sentence. */
export function whenMissing(error: unknown, schema: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== '42P01' && code !== '3F000') return error
  return new BeachError(
    'INVALID_CONFIGURATION',
    `The schema ${schema} of the database has no tables of an agent. Name another: postgres://…?schema=<name>.`,
    { cause: error },
  )
}
