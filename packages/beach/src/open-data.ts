import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
import { secretsIn, type Secret } from '@cool-ai/beach-core/tokens'
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

/** Where an agent keeps what it must not forget. */
export interface BeachData {
  readonly store: Store
  /** The first one signs, all verify. */
  readonly secret: readonly Uint8Array[]
  readonly artifacts: ArtifactStore
  /** Every message in and out, and who they are with. */
  readonly missives: { readonly store: MissiveStore; readonly identities: IdentityStore }
}

export interface OpenDataOptions {
  readonly folder: string
  readonly store?: string | undefined
  readonly secret?: Secret | undefined
  readonly runtime?: Runtime | undefined
}

/**
 * Opens the stores (`sqlite` or `memory`), the secret and the artifacts of a data folder; makes what is missing. Only the
 * user who runs the agent can read the folder. `secret` comes before the folder's own; when it is left out the
 * environment variable `BEACH_SECRET` does, a list separated by commas or spaces.
 */
export async function openData(options: OpenDataOptions): Promise<BeachData> {
  const { folder, store = 'sqlite' } = options
  const { secret: first = secretsIn(process.env.BEACH_SECRET ?? '') } = options
  const given = first instanceof Uint8Array ? [first] : first
  const runtime = options.runtime && { runtime: options.runtime }
  if (store === 'memory') {
    const { MemoryStore } = await import('@cool-ai/beach-session/memory')
    const artifacts = new MemoryArtifactStore({ ...runtime })
    const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
    return {
      store: new MemoryStore({ ...runtime }),
      secret: given.length > 0 ? given : [randomBytes(32)],
      artifacts,
      missives,
    }
  }
  if (store !== 'sqlite') {
    throw new BeachError('INVALID_CONFIGURATION', `There is no store '${store}'. Use 'sqlite' or 'memory'.`)
  }
  const open: { close(): Promise<void> }[] = []
  const opened = async <Kept extends { close(): Promise<void> }>(opening: Promise<Kept>): Promise<Kept> => {
    const kept = await opening
    open.push(kept)
    return kept
  }
  try {
    const { SqliteStore } = await import('@cool-ai/beach-session/sqlite')
    const { logger } = options.runtime ?? systemRuntime()
    privateFolder(folder, logger)
    const artifacts = await FileArtifactStore.open({ folder: join(folder, 'artifacts'), ...runtime })
    if (given.length === 0) makeSecret(folder)
    const secret = [...given, ...readSecrets(folder, logger)]
    const log = await opened(SqliteStore.open({ path: join(folder, 'beach.db'), ...runtime }))
    const missives = {
      store: await opened(SqliteMissiveStore.open({ path: join(folder, 'missives.db'), log, ...runtime })),
      identities: await opened(SqliteIdentityStore.open({ path: join(folder, 'identities.db'), ...runtime })),
    }
    return { secret, artifacts, missives, store: log }
  } catch (cause) {
    for (const each of open) await each.close()
    if (cause instanceof BeachError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `The data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}

/** Makes the secret if it is missing. It appears whole or not at all, so that two processes that start at once agree on it. */
function makeSecret(folder: string): void {
  const path = join(folder, 'secret.key')
  if (existsSync(path)) return
  // Not named by the process: those of two containers may have the same number.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, randomBytes(32), { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft)
  }
}

/** The folder's secrets: `secret.key`, then those that it has replaced, `secret.<name>.key`. */
function readSecrets(folder: string, logger: Logger): Uint8Array[] {
  const names = readdirSync(folder).filter((name) => /^secret\.(?:[^.]+\.)?key$/.test(name))
  const own = (name: string) => (name === 'secret.key' ? 0 : 1)
  return names
    .toSorted((one, other) => own(one) - own(other) || (one < other ? -1 : 1))
    .map((name) => {
      privateFile(join(folder, name), logger)
      return readFileSync(join(folder, name))
    })
}
