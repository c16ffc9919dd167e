import type { ArtifactStore, Runtime } from '@cool-ai/beach-core'
import type { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import type { ArtifactLimits } from '../artifacts/admission.ts'
import type { PartLog } from '../missives/large-parts.ts'
import type { MissiveCodec } from '../missives/missive-codec.ts'
import { PostgresArtifactStore } from './postgres-artifact-store.ts'
import { PostgresIdentityStore } from './postgres-identity-store.ts'
import { PostgresMissiveStore } from './postgres-missive-store.ts'

/** What missives on PostgreSQL are kept with. */
export interface PostgresMissivesOptions {
  readonly runtime?: Runtime | undefined
  /** The sessions' logs: large parts are read from there, and kept a second time where this is left out. */
  readonly log?: PartLog | undefined
  /** How missives are written; readable when left out. */
  readonly codec?: MissiveCodec | undefined
  /** Limits of artifacts, and where those above `maxDatabaseBytes` (1 MB) are kept. */
  readonly artifacts?:
    | (ArtifactLimits & {
        readonly maxDatabaseBytes?: number | undefined
        readonly large?: ArtifactStore | undefined
      })
    | undefined
}

/** The stores of missives, identities and artifacts in one database, as `createBeach` takes them. */
export interface PostgresMissives {
  readonly artifacts: PostgresArtifactStore
  readonly missives: { readonly store: PostgresMissiveStore; readonly identities: PostgresIdentityStore }
}

/** Opens the three stores in a database, or none of them. The database is closed with the last of its stores. */
export async function openPostgresMissives(
  database: PostgresDatabase,
  { runtime, log, codec, artifacts: settings }: PostgresMissivesOptions = {},
): Promise<PostgresMissives> {
  const opened: { close(): Promise<void> }[] = []
  const kept = async <Kept extends { close(): Promise<void> }>(opening: Promise<Kept>): Promise<Kept> => {
    const store = await opening
    opened.push(store)
    return store
  }
  try {
    const artifacts = await kept(PostgresArtifactStore.open({ ...settings, database, runtime }))
    const store = await kept(PostgresMissiveStore.open({ database, runtime, log, codec }))
    const identities = await kept(PostgresIdentityStore.open({ database, runtime }))
    return { artifacts, missives: { store, identities } }
  } catch (error) {
    for (const each of opened) await each.close()
    throw error
  }
}
