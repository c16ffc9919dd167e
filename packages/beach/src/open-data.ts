import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  BeachError,
  systemRuntime,
  type ArtifactStore,
  type Logger,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import { privateFile, privateFolder } from '@cool-ai/beach-core/sqlite'
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
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'

/** Where an agent keeps what it must not forget. */
export interface BeachData {
  readonly store: Store
  readonly secret: Uint8Array
  readonly artifacts: ArtifactStore
  /** Every message in and out, and who they are with. */
  readonly missives: { readonly store: MissiveStore; readonly identities: IdentityStore }
}

/**
 * Opens the stores (`sqlite` or `memory`), the secret and the artifacts of a data folder; makes what is missing. Only the
 * user who runs the agent can read the folder.
 */
export async function openData(options: { folder: string; store?: string; runtime?: Runtime }): Promise<BeachData> {
  const { folder, store = 'sqlite' } = options
  const runtime = options.runtime && { runtime: options.runtime }
  if (store === 'memory') {
    const artifacts = new MemoryArtifactStore({ ...runtime })
    const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
    return { store: new MemoryStore({ ...runtime }), secret: randomBytes(32), artifacts, missives }
  }
  if (store !== 'sqlite') {
    throw new BeachError('INVALID_CONFIGURATION', `There is no store '${store}'. Use 'sqlite' or 'memory'.`)
  }
  try {
    const { logger } = options.runtime ?? systemRuntime()
    privateFolder(folder, logger)
    const artifacts = await FileArtifactStore.open({ folder: join(folder, 'artifacts'), ...runtime })
    const secret = readSecret(folder, logger)
    const log = await SqliteStore.open({ path: join(folder, 'beach.db'), ...runtime })
    const missives = {
      store: await SqliteMissiveStore.open({ path: join(folder, 'missives.db'), log, ...runtime }),
      identities: await SqliteIdentityStore.open({ path: join(folder, 'identities.db'), ...runtime }),
    }
    return { secret, artifacts, missives, store: log }
  } catch (cause) {
    if (cause instanceof BeachError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `The data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}

/** Reads the secret. It appears whole or not at all, so that two processes that start at once agree on it. */
function readSecret(folder: string, logger: Logger): Uint8Array {
  const path = join(folder, 'secret.key')
  if (!existsSync(path)) {
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, randomBytes(32), { mode: 0o600, flush: true })
    try {
      linkSync(draft, path)
    } catch (error) {
      if (!existsSync(path)) throw error
    } finally {
      rmSync(draft)
    }
  }
  privateFile(path, logger)
  return readFileSync(path)
}
