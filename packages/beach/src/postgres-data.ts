import { BeachError, type Runtime, type Store } from '@cool-ai/beach-core'
import type { LiveBus } from '@cool-ai/beach-session/postgres'
import { agentTable, claimSchema } from './agent-table.ts'
import { withDriver } from './data/postgres-driver.ts'
import { openEncryption, sealedLimits, type KeyService } from './encryption.ts'
import type { BeachData } from './open-data.ts'

export interface PostgresDataOptions {
  /** `postgres://user@host/database`, with `?schema=…` where the tables have a schema of another name. */
  readonly url: string
  /** The agent's id: its tables are in the schema `beach_<id>`, which no other agent may use. */
  readonly agent?: string | undefined
  /** An address past a transaction-mode pooler. */
  readonly directUrl?: string | undefined
  readonly liveBus?: LiveBus | undefined
  readonly secret: readonly Uint8Array[]
  /** Has the keys that the data is encrypted by. */
  readonly service?: KeyService | undefined
  readonly runtime?: Runtime | undefined
}

// An upload is held in memory until it is in the database.
const maxBytesWithoutBucket = 10 * 1024 * 1024

/** Opens an agent's data in a PostgreSQL database, for any number of processes; makes the tables that are missing. */
export async function openPostgresData(options: PostgresDataOptions): Promise<BeachData> {
  const { url, agent, directUrl = process.env.BEACH_STORE_DIRECT, liveBus, secret, service, runtime } = options
  if (secret.length === 0) {
    throw wrong(
      'The processes of an agent on PostgreSQL share a secret. Set BEACH_SECRET, such as the output of `openssl rand -base64 32`.',
    )
  }
  const { PostgresDatabase, schemaOf } = await withDriver(() => import('@cool-ai/beach-core/postgres'))
  const { PostgresStore } = await import('@cool-ai/beach-session/postgres')
  const { openPostgresMissives } = await import('@cool-ai/beach-missives/postgres')
  const schema = agent === undefined ? undefined : schemaOf(agent)
  const database = await PostgresDatabase.open({ url, schema, directUrl, runtime })
  let readable: Store | undefined
  try {
    await database.use(agentTable)
    if (agent !== undefined) await claimSchema(database, agent)
    readable = await PostgresStore.open({ database, runtime, liveBus })
    const sealed = await openEncryption(readable, service)
    const [store, codec] = [sealed?.store ?? readable, sealed?.codec]
    const limits = sealed === undefined ? {} : sealedLimits
    const large = await bucketOf(process.env, { runtime, ...limits })
    const room = large === undefined ? { maxDatabaseBytes: maxBytesWithoutBucket } : { large }
    const kept = await openPostgresMissives(database, { runtime, log: store, codec, artifacts: { ...room, ...limits } })
    // From here on the connections end with the last of the stores.
    await database.close()
    return { store, secret, missives: kept.missives, artifacts: sealed?.artifacts(kept.artifacts) ?? kept.artifacts }
  } catch (error) {
    await readable?.close()
    await database.end()
    throw error
  }
}

/** The bucket for large artifacts that the environment names. */
async function bucketOf(
  environment: NodeJS.ProcessEnv,
  limits: { readonly runtime: Runtime | undefined; readonly maxBytes?: number },
) {
  const { BEACH_S3_BUCKET: bucket } = environment
  if (bucket === undefined || bucket === '') return undefined
  const needed = (name: string) => {
    const value = environment[name]
    if (value === undefined || value === '') throw wrong(`BEACH_S3_BUCKET is set, so ${name} must be too.`)
    return value
  }
  const { S3ArtifactStore } = await import('@cool-ai/beach-missives/s3')
  return new S3ArtifactStore({
    bucket,
    region: needed('AWS_REGION'),
    accessKeyId: needed('AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
    sessionToken: environment.AWS_SESSION_TOKEN,
    prefix: environment.BEACH_S3_PREFIX,
    ...limits,
  })
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
