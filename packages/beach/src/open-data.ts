import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { BeachError, systemRuntime, type ArtifactStore, type Runtime, type Store } from '@cool-ai/beach-core'
import { privateFolder } from '@cool-ai/beach-core/sqlite'
import type { Secret } from '@cool-ai/beach-core/tokens'
import {
  FileArtifactStore,
  MemoryArtifactStore,
  MemoryIdentityStore,
  MemoryMissiveStore,
  SqliteIdentityStore,
  SqliteMissiveStore,
  type IdentityStore,
  type MissiveStore,
} from '@cool-ai/beach-missives'
import type { LiveBus } from '@cool-ai/beach-session/postgres'
import { folderSecret, givenSecret } from './data-secret.ts'
import { keyServiceOf, openEncryption, sealedLimits, type EncryptionOptions } from './encryption.ts'

/** Where an agent keeps what it must not forget. */
export interface BeachData {
  readonly store: Store
  /** The first one signs, all verify. */
  readonly secret: readonly Uint8Array[]
  readonly artifacts: ArtifactStore
  /** Every message in and out, and who they are with. */
  readonly missives: { readonly store: MissiveStore; readonly identities: IdentityStore }
}

/** Which folder or database is opened. */
export interface OpenDataOptions {
  /** Where SQLite's files, artifacts and the secret are. The other stores have none. */
  readonly folder?: string | undefined
  /** `sqlite` when left out, `memory`, or `postgres://user@host/database` for several processes. */
  readonly store?: string | undefined
  /** The agent's id, by which its schema in a PostgreSQL database is named. */
  readonly agent?: string | undefined
  /** An address past a pooler of PostgreSQL; that of `BEACH_STORE_DIRECT` when left out. */
  readonly directUrl?: string | undefined
  /** Carries live text between processes in place of PostgreSQL's notifications. */
  readonly liveBus?: LiveBus | undefined
  readonly secret?: Secret | undefined
  /**
   * Encrypts what is kept (docs/encryption.md): by these keys, or by those of `BEACH_ENCRYPTION_KEYS` when it is left out and
   * the data is not in memory. False for data that is not encrypted, whatever the environment has.
   */
  readonly encryption?: EncryptionOptions | false | undefined
  readonly runtime?: Runtime | undefined
}

/**
 * Opens the stores, the secret and the artifacts of an agent; makes what is missing. Only the user who runs the agent can
 * read a data folder. `secret` comes before the folder's own; when it is left out the environment variable `BEACH_SECRET`
 * does, a list separated by commas or spaces.
 */
export async function openData(options: OpenDataOptions): Promise<BeachData> {
  const { store = 'sqlite' } = options
  const given = givenSecret(options.secret)
  const runtime = options.runtime && { runtime: options.runtime }
  if (store === 'memory') return openMemory(options, given)
  if (/^postgres(?:ql)?:/.test(store)) {
    const { openPostgresData } = await import('./postgres-data.ts')
    const { agent, directUrl, liveBus } = options
    const service = await keyServiceOf(options.encryption)
    return openPostgresData({ url: store, secret: given, agent, directUrl, liveBus, service, ...runtime })
  }
  if (store !== 'sqlite') {
    const known = "Use 'sqlite', 'memory' or the address of a PostgreSQL database, postgres://user@host/database."
    throw new BeachError('INVALID_CONFIGURATION', `There is no store '${withoutPassword(store)}'. ${known}`)
  }
  return openFolder(options, given)
}

/** Nothing of it is at rest: it is encrypted only where that is asked for, as in tests. */
async function openMemory(options: OpenDataOptions, given: readonly Uint8Array[]): Promise<BeachData> {
  const { MemoryStore } = await import('@cool-ai/beach-session/memory')
  const { runtime, encryption = false } = options
  const store = new MemoryStore({ ...(runtime && { runtime }) })
  const sealed = await openEncryption(store, await keyServiceOf(encryption))
  const artifacts = new MemoryArtifactStore({ ...(runtime && { runtime }), ...(sealed && sealedLimits) })
  return {
    store: sealed?.store ?? store,
    secret: given.length > 0 ? given : [randomBytes(32)],
    artifacts: sealed?.artifacts(artifacts) ?? artifacts,
    missives: { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() },
  }
}

async function openFolder(options: OpenDataOptions, given: readonly Uint8Array[]): Promise<BeachData> {
  const { folder } = options
  if (folder === undefined || folder === '') {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      "SQLite needs a folder for its files. Give openData one, such as '.beach'.",
    )
  }
  const runtime = options.runtime && { runtime: options.runtime }
  const open: { close(): Promise<void> }[] = []
  const opened = async <Kept extends { close(): Promise<void> }>(opening: Promise<Kept>): Promise<Kept> => {
    const kept = await opening
    open.push(kept)
    return kept
  }
  try {
    const service = await keyServiceOf(options.encryption)
    const { SqliteStore } = await import('@cool-ai/beach-session/sqlite')
    const { logger } = options.runtime ?? systemRuntime()
    privateFolder(folder, logger)
    const files = { folder: join(folder, 'artifacts'), ...runtime, ...(service && sealedLimits) }
    const artifacts = await FileArtifactStore.open(files)
    const secret = folderSecret({ folder, logger, given })
    const readable = await opened(SqliteStore.open({ path: join(folder, 'beach.db'), ...runtime }))
    const sealed = await openEncryption(readable, service)
    const [log, codec] = [sealed?.store ?? readable, sealed?.codec]
    const missives = {
      store: await opened(SqliteMissiveStore.open({ path: join(folder, 'missives.db'), log, codec, ...runtime })),
      identities: await opened(SqliteIdentityStore.open({ path: join(folder, 'identities.db'), ...runtime })),
    }
    return { secret, artifacts: sealed?.artifacts(artifacts) ?? artifacts, missives, store: log }
  } catch (cause) {
    for (const each of open) await each.close()
    if (cause instanceof BeachError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `The data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}

/** An address that may be printed. */
function withoutPassword(text: string): string {
  return text.replace(/(?<=:\/\/[^/@]*:)[^/@]*(?=@)/, '…')
}
