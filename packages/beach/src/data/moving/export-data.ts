import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BeachError, isBeachError, systemRuntime, type ArtifactStore, type Runtime } from '@cool-ai/beach-core'
import { FileArtifactStore } from '@cool-ai/beach-missives'
import { readSqliteIdentities } from '@cool-ai/beach-missives/moving'
import { readSqliteSessions, type SeqsOf } from '@cool-ai/beach-session/moving'
import { importKey, type DataRecord } from './data-record.ts'
import { LineWriter } from './export-lines.ts'
import { isUrl, openPostgres, whenMissing } from './postgres-data.ts'

/** What is exported, and where it is written. */
export interface ExportOptions {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly from: string
  /** Takes the next piece of the export; the following one waits for it. */
  readonly write: (text: string) => Promise<void>
  readonly runtime?: Runtime | undefined
}

/** How many records of each kind there are. */
export type RecordCounts = Readonly<Record<string, number>>

const pieceBytes = 256 * 1024

/**
 * Writes everything that must not be lost: sessions with their keys and wakes, identities, artifacts. Missives and
 * snapshots are made again from the sessions. The agent may run meanwhile: sessions are as they were at one moment.
 */
export async function exportData(options: ExportOptions): Promise<RecordCounts> {
  const { from, runtime = systemRuntime() } = options
  const lines = new LineWriter()
  const counts: Record<string, number> = {}
  const take = async (record: DataRecord) => {
    if (record.kind === 'key' && record.key === importKey) return
    counts[record.kind] = (counts[record.kind] ?? 0) + 1
    await options.write(lines.line(record))
  }
  const begin = (seqs: SeqsOf) =>
    take({ kind: 'export', version: 1, id: runtime.id('export'), at: runtime.clock.now(), seqs })
  if (isUrl(from)) await exportPostgres(from, runtime, begin, take)
  else await exportFolder(from, runtime, begin, take)
  await options.write(lines.line({ kind: 'end', counts }))
  return counts
}

type Begin = (seqs: SeqsOf) => Promise<void>
type Take = (record: DataRecord) => Promise<void>

async function exportFolder(folder: string, runtime: Runtime, begin: Begin, take: Take): Promise<void> {
  const [sessions, identities, artifacts] = ['beach.db', 'identities.db', 'artifacts'].map((name) => join(folder, name))
  if (sessions === undefined || !existsSync(sessions)) {
    throw new BeachError('INVALID_CONFIGURATION', `${folder} is not the data folder of an agent: it has no beach.db.`)
  }
  await begin('store')
  await readSqliteSessions(sessions, take)
  if (identities !== undefined && existsSync(identities)) await readSqliteIdentities(identities, take)
  if (artifacts === undefined || !existsSync(artifacts)) return
  await exportArtifacts(await FileArtifactStore.open({ folder: artifacts, runtime }), take)
}

async function exportPostgres(url: string, runtime: Runtime, begin: Begin, take: Take): Promise<void> {
  const { database, session, missives } = await openPostgres(url, runtime)
  const { schema } = database
  let hasBegun = false
  try {
    await database.transaction(async ({ rows }) => {
      if (hasBegun) {
        throw new BeachError('STORE_UNAVAILABLE', 'The connection to the database broke. Start the export again.')
      }
      hasBegun = true
      for (const statement of asOfOneMoment) await rows(statement)
      await session.isPostgresEmpty(rows, schema)
      await begin('session')
      await session.readPostgresSessions(rows, schema, take)
      await missives.readPostgresIdentities(rows, schema, take)
    })
    await exportArtifacts(await missives.PostgresArtifactStore.open({ database, runtime }), take)
  } catch (error) {
    throw isBeachError(error) ? error : whenMissing(error, schema)
  } finally {
    await database.close()
  }
}

const asOfOneMoment = [
  { name: 'moving.snapshot', text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' },
  {
    name: 'moving.timeouts',
    text: `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
  },
]

async function exportArtifacts(store: ArtifactStore, take: Take): Promise<void> {
  for (let after: string | undefined; ;) {
    const page = await store.list({ after })
    for (const { artifactId, tenant } of page.items) {
      const stored = await store.get(artifactId, tenant)
      // It was deleted since.
      if (stored === undefined) continue
      await take({ kind: 'artifact', artifact: stored.artifact })
      for await (const bytes of stored.open()) {
        for (let start = 0; start < bytes.length; start += pieceBytes) {
          const piece = Buffer.from(bytes.subarray(start, start + pieceBytes))
          await take({ kind: 'bytes', base64: piece.toString('base64') })
        }
      }
    }
    if (page.next === undefined) return
    after = page.next
  }
}
