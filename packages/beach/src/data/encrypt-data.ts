import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BeachError, type Runtime, type Store } from '@cool-ai/beach-core'
import { MainKeys, rewrapKeys } from '@cool-ai/beach-core/encryption'
import type { Resealed } from '@cool-ai/beach-session/sealed'
import { keyServiceOf, type EncryptionOptions, type KeyService } from '../encryption.ts'
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
    return resealStore(store, await MainKeys.open(store, service, options.signal), options.signal)
  })
}

/** Wraps the keys of the data by the first one of those that are given; no data is written anew. */
export function rotateKeys(
  options: EncryptDataOptions,
): Promise<{ readonly before: readonly string[]; readonly now: string }> {
  return withStore(options, (store, service) => rewrapKeys(store, service, options.signal))
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
