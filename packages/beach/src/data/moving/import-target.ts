import { join } from 'node:path'
import type { ArtifactStore, Runtime } from '@cool-ai/beach-core'
import { privateFolder } from '@cool-ai/beach-core/sqlite'
import { FileArtifactStore } from '@cool-ai/beach-missives'
import { SqliteIdentities, type IdentityRecord } from '@cool-ai/beach-missives/moving'
import { SqliteSessions, type SeqsOf, type SessionPlace, type SessionRecord } from '@cool-ai/beach-session/moving'
import { importKey, type StoredRecord } from './data-record.ts'
import { isUrl, openPostgres, useAll } from './postgres-data.ts'

/** How far an import has come; the store that it goes to keeps it. */
export interface ImportProgress {
  /** Of the export. */
  readonly id: string
  /** The last line that is done, and its hash. */
  readonly line: number
  readonly sha: string
  readonly place: SessionPlace
  readonly isDone: boolean
}

/** The stores that an import writes to. */
export interface ImportTarget {
  readonly artifacts: ArtifactStore
  progress(): Promise<ImportProgress | undefined>
  isEmpty(): Promise<boolean>
  /** Writes records and the progress with them; returns it with the place after them. Doing it again changes nothing. */
  write(records: readonly StoredRecord[], progress: ImportProgress): Promise<ImportProgress>
  close(): Promise<void>
}

// What an agent took is kept, whatever its limits were.
const maxBytes = 1024 * 1024 * 1024
const mimeTypes = [
  'application',
  'audio',
  'chemical',
  'font',
  'image',
  'message',
  'model',
  'multipart',
  'text',
  'video',
]
const artifactLimits = { maxBytes, mimeTypes: mimeTypes.map((kind) => `${kind}/*`) }

export function openTarget(options: {
  readonly to: string
  readonly seqs: SeqsOf
  readonly runtime: Runtime
  /** Gives artifacts the ids and times that they had. */
  readonly artifactRuntime: Runtime
}): Promise<ImportTarget> {
  return isUrl(options.to) ? postgresTarget(options) : folderTarget(options)
}

async function folderTarget(options: Parameters<typeof openTarget>[0]): Promise<ImportTarget> {
  const { to: folder, runtime, seqs } = options
  privateFolder(folder, runtime.logger)
  const artifacts = await FileArtifactStore.open({
    folder: join(folder, 'artifacts'),
    runtime: options.artifactRuntime,
    ...artifactLimits,
  })
  const identities = await SqliteIdentities.open({ path: join(folder, 'identities.db'), runtime })
  const sessions = await SqliteSessions.open({ path: join(folder, 'beach.db'), runtime, seqs })
  return {
    artifacts,
    progress: async () => parsed(await sessions.get(importKey)),
    isEmpty: async () =>
      (await sessions.isEmpty()) && (await identities.isEmpty()) && (await artifacts.list()).items.length === 0,
    async write(records, progress) {
      await identities.write(records.filter(isIdentity))
      const note = { key: importKey, value: (place: SessionPlace) => JSON.stringify({ ...progress, place }) }
      const place = await sessions.write(records.filter(isSession), progress.place, note)
      return { ...progress, place }
    },
    async close() {
      identities.close()
      sessions.close()
    },
  }
}

async function postgresTarget(options: Parameters<typeof openTarget>[0]): Promise<ImportTarget> {
  const { database, session, missives } = await openPostgres(options.to, options.runtime)
  const { schema } = database
  try {
    await useAll(database, session, missives)
    const artifacts = await missives.PostgresArtifactStore.open({
      database,
      runtime: options.artifactRuntime,
      maxDatabaseBytes: maxBytes,
      ...artifactLimits,
    })
    return {
      artifacts,
      progress: () =>
        database.transaction(async ({ rows }) => parsed(await session.lockedKey(rows, schema, importKey))),
      isEmpty: () =>
        database.transaction(
          async ({ rows }) =>
            (await session.isPostgresEmpty(rows, schema)) &&
            (await missives.hasNoPostgresIdentities(rows, schema)) &&
            (await artifacts.list()).items.length === 0,
        ),
      write: (records, progress) =>
        database.transaction(async ({ rows }) => {
          const before = parsed(await session.lockedKey(rows, schema, importKey))
          // It was committed, and only the answer was lost.
          if (before !== undefined && before.line >= progress.line && before.isDone === progress.isDone) return before
          await missives.writePostgresIdentities(rows, schema, records.filter(isIdentity))
          const moved = records.filter(isSession)
          const place = await session.writePostgresSessions(rows, schema, moved, progress.place)
          const after = { ...progress, place }
          await session.setKey(rows, schema, importKey, JSON.stringify(after))
          return after
        }),
      close: () => database.end(),
    }
  } catch (error) {
    await database.end()
    throw error
  }
}

function isIdentity(record: StoredRecord): record is IdentityRecord {
  return record.kind === 'address' || record.kind === 'identityEvent'
}

function isSession(record: StoredRecord): record is SessionRecord {
  return !isIdentity(record)
}

function parsed(text: string | undefined): ImportProgress | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as ImportProgress)
}
