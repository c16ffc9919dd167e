import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BeachError, type Runtime, type Store } from '@cool-ai/beach-core'
import { destroyTenantKeys, rewrapKeys, TenantKeys } from '@cool-ai/beach-core/encryption'
import type { Resealed } from '@cool-ai/beach-session/sealed'
import { keyServiceOf, type EncryptionOptions, type KeyService } from '../encryption.ts'
import { openData } from '../open-data.ts'
import { isUrl } from './moving/postgres-data.ts'

/** Which data, and by which keys. */
export interface EncryptDataOptions {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly data: string
  /** Those of `BEACH_ENCRYPTION_KEYS` when left out. */
  readonly encryption?: EncryptionOptions | undefined
  readonly runtime: Runtime
  readonly signal?: AbortSignal | undefined
}

/** Encrypts what was stored before the data was encrypted. It goes on where it was cut off. */
export function encryptData(options: EncryptDataOptions): Promise<Resealed> {
  return withStore(options, async (store, service) => {
    const { resealStore } = await import('@cool-ai/beach-session/sealed')
    return resealStore(store, await TenantKeys.open(store, service, options.signal), options.signal)
  })
}

/** Wraps the keys of the data by the first one of those that are given; no data is written anew. */
export function rotateKeys(
  options: EncryptDataOptions,
): Promise<{ readonly before: readonly string[]; readonly now: string }> {
  return withStore(options, (store, service) => rewrapKeys(store, service, options.signal))
}

/**
 * Throws the keys of a tenant away: nothing that they encrypt can be read again. Its sessions are then as if they were
 * erased, and the kept messages are made anew, without its own, when the agent starts.
 */
export async function shredTenant(options: EncryptDataOptions & { readonly tenant: string }): Promise<void> {
  const { tenant, data, encryption, runtime } = options
  const hadKey = await withStore(options, (store) => destroyTenantKeys(store, tenant))
  if (!hadKey) {
    const message = `The tenant ${tenant} has no key of its own in this data: its content has the key of the data.`
    throw new BeachError('NOT_FOUND', message)
  }
  const secret = randomBytes(32)
  const opened = await openData({ ...(isUrl(data) ? { store: data } : { folder: data }), encryption, runtime, secret })
  try {
    await opened.missives.store.clear()
  } finally {
    await opened.missives.store.close()
    await opened.missives.identities.close()
    await opened.artifacts.close?.()
    await opened.store.close()
  }
}

async function withStore<Result>(
  { data, encryption, runtime }: EncryptDataOptions,
  run: (store: Store, service: KeyService) => Promise<Result>,
): Promise<Result> {
  const service = await keyServiceOf(encryption)
  if (service === undefined) {
    const message = 'No keys are given. Set BEACH_ENCRYPTION_KEYS, such as the output of: openssl rand -base64 32'
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  const store = await openStore(data, runtime)
  try {
    return await run(store, service)
  } finally {
    await store.close()
  }
}

/** The store as it is. */
async function openStore(data: string, runtime: Runtime): Promise<Store> {
  if (isUrl(data)) {
    const { PostgresDatabase } = await import('@cool-ai/beach-core/postgres')
    const { PostgresStore } = await import('@cool-ai/beach-session/postgres')
    const database = await PostgresDatabase.open({ url: data, runtime })
    try {
      return await PostgresStore.open({ database, runtime })
    } catch (error) {
      await database.end()
      throw error
    }
  }
  const path = join(data, 'beach.db')
  if (!existsSync(path)) {
    throw new BeachError('INVALID_CONFIGURATION', `${data} is not the data folder of an agent: it has no beach.db.`)
  }
  const { SqliteStore } = await import('@cool-ai/beach-session/sqlite')
  return SqliteStore.open({ path, runtime })
}
