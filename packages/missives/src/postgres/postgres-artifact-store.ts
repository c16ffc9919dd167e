import { createHash } from 'node:crypto'
import { BeachError, systemRuntime, type Artifact, type ArtifactStore, type Runtime } from '@cool-ai/beach-core'
import type { ArtifactAbout, ArtifactContent, ArtifactQuery, Page, StoredArtifact } from '@cool-ai/beach-core/ports'
import { encodeKey, type PostgresDatabase, type Statement } from '@cool-ai/beach-core/postgres'
import { parseAbout } from '../artifacts/about.ts'
import { Admission, checkedRange, listLimit, type ArtifactLimits } from '../artifacts/admission.ts'
import { isArtifactId } from '../artifacts/artifact-folder.ts'
import { pieces } from '../artifacts/pieces.ts'
import { sniffedBytes, sniffedType } from '../artifacts/sniff.ts'
import { pieceStream } from './artifact-stream.ts'
import { artifactStatements, artifactTables } from './artifact-tables.ts'
import { digest } from './digest.ts'

/** Where a store on PostgreSQL keeps large artifacts, and its limits. */
export interface PostgresArtifactStoreOptions extends ArtifactLimits {
  readonly database: PostgresDatabase
  readonly runtime?: Runtime | undefined
  /** Up to which size an artifact is in the database: 1 MB when left out. An upload holds as much in memory. */
  readonly maxDatabaseBytes?: number | undefined
  /** Where larger ones are, such as an `S3ArtifactStore`; they are refused when it is left out. */
  readonly large?: ArtifactStore | undefined
}

/** The pages of the store for large artifacts come after those of the database. */
const largePage = 'large '

/** Artifacts in a PostgreSQL database, for any number of processes; large ones in another store, such as a bucket. */
export class PostgresArtifactStore implements ArtifactStore {
  readonly #database: PostgresDatabase
  readonly #runtime: Runtime
  readonly #admission: Admission
  readonly #maxDatabaseBytes: number
  readonly #large: ArtifactStore | undefined
  readonly #sql: ReturnType<typeof artifactStatements>
  #closed = false

  /** Opens the store in a database, and makes its tables if they are missing. */
  static async open(options: PostgresArtifactStoreOptions): Promise<PostgresArtifactStore> {
    const store = new PostgresArtifactStore(options)
    await options.database.use(artifactTables)
    return store
  }

  private constructor(options: PostgresArtifactStoreOptions) {
    const { database, runtime = systemRuntime(), large, maxDatabaseBytes = 1024 * 1024 } = options
    if (!Number.isSafeInteger(maxDatabaseBytes) || maxDatabaseBytes < 0) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `maxDatabaseBytes of artifacts cannot be ${maxDatabaseBytes}. Give a whole number of bytes.`,
      )
    }
    this.#database = database
    this.#runtime = runtime
    this.#admission = new Admission(runtime, options)
    this.#maxDatabaseBytes = maxDatabaseBytes
    this.#large = large
    this.#sql = artifactStatements(database.schema)
  }

  async put(content: ArtifactContent, about: ArtifactAbout, signal?: AbortSignal): Promise<Artifact> {
    this.#open()
    const admitted = this.#admission.admit(about)
    const source = pieces(content, this.#admission.maxBytes, signal)
    try {
      const { first, isAll } = await beginning(source, this.#maxDatabaseBytes)
      signal?.throwIfAborted()
      if (isAll) return await this.#keep(admitted, Buffer.concat(first))
      if (this.#large === undefined) throw this.#tooLarge()
      return await this.#large.put(both(first, source), about, signal)
    } finally {
      // Not awaited: a source that hangs would hang us too.
      source.return(undefined).catch(() => {})
    }
  }

  async get(artifactId: string, tenant: string): Promise<StoredArtifact | undefined> {
    if (!isArtifactId(artifactId)) return undefined
    const [row] = await this.#rows(this.#sql.get, [artifactId, encodeKey(tenant)])
    if (row === undefined) return this.#large?.get(artifactId, tenant)
    const artifact = this.#described(row)
    if (artifact === undefined) return undefined
    const read = async (start: number, count: number) => {
      const [found] = await this.#rows(this.#sql.read, [artifactId, start, count])
      return found?.bytes as Uint8Array | undefined
    }
    return { artifact, open: (range) => pieceStream(checkedRange(range, artifact.sizeBytes), read) }
  }

  async delete(artifactId: string, tenant: string): Promise<boolean> {
    this.#open()
    if (!isArtifactId(artifactId)) return false
    let isDeleted = false
    await this.#database.transaction(async ({ rows }) => {
      const gone = await rows(this.#sql.delete, [artifactId, encodeKey(tenant)])
      // When it runs again after a commit whose answer was lost, nothing is left to delete.
      isDeleted ||= gone.length > 0
    })
    return isDeleted || ((await this.#large?.delete(artifactId, tenant)) ?? false)
  }

  async list(query: ArtifactQuery = {}): Promise<Page<Artifact>> {
    const limit = listLimit(query)
    const { after = '' } = query
    if (this.#large !== undefined && after.startsWith(largePage)) return listLarge(this.#large, query, after)
    const rows = await this.#listed(query, [encodeKey(after), limit + 1])
    const listed = rows.slice(0, limit)
    const items = listed.flatMap((row) => this.#described(row) ?? [])
    const last = rows.length > limit ? (listed.at(-1)?.artifact as string | undefined) : undefined
    const next = last ?? (this.#large && largePage)
    return next === undefined ? { items } : { items, next }
  }

  async discardLeftovers(before: number): Promise<number> {
    this.#open()
    return (await this.#large?.discardLeftovers?.(before)) ?? 0
  }

  async check(): Promise<void> {
    this.#open()
    await this.#database.check()
    await this.#large?.check?.()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#large?.close?.()
    await this.#database.close()
  }

  async #keep(admitted: ReturnType<Admission['admit']>, bytes: Buffer): Promise<Artifact> {
    const { artifactId, tenant, session } = admitted
    const artifact: Artifact = {
      ...admitted,
      mimeType: sniffedType(admitted.mimeType, bytes.subarray(0, sniffedBytes)),
      sizeBytes: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }
    const owner = [encodeKey(tenant), session === undefined ? null : digest(tenant, session)]
    const kept = await this.#rows(this.#sql.put, [artifactId, ...owner, JSON.stringify(artifact), bytes])
    if (kept.length > 0) return artifact
    throw new BeachError('INTERNAL', `Another artifact has the id ${artifactId}. The ids of a runtime must not repeat.`)
  }

  #listed({ tenant, session }: ArtifactQuery, page: readonly unknown[]) {
    if (tenant === undefined) return this.#rows(this.#sql.list, page)
    if (session === undefined) return this.#rows(this.#sql.listTenant, [...page, encodeKey(tenant)])
    return this.#rows(this.#sql.listSession, [...page, encodeKey(tenant), digest(tenant, session)])
  }

  #described(row: Readonly<Record<string, unknown>>): Artifact | undefined {
    const artifact = parseAbout(String(row.about))
    if (artifact === undefined) {
      this.#runtime.logger.log('error', 'an artifact in the database is damaged', { artifactId: row.artifact })
    }
    return artifact
  }

  #tooLarge(): BeachError {
    return new BeachError(
      'TOO_LARGE',
      `An artifact may have at most ${this.#maxDatabaseBytes} bytes, as artifacts are kept in the database. For larger ones configure a bucket: BEACH_S3_BUCKET, or \`large: new S3ArtifactStore({ … })\` of @cool-ai/beach-missives/s3.`,
    )
  }

  async #rows(statement: Statement, values: readonly unknown[]) {
    this.#open()
    return this.#database.rows(statement, values)
  }

  #open(): void {
    if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
  }
}

/** The first bytes; they are all, or more than so many. */
async function beginning(
  source: AsyncGenerator<Buffer>,
  maxBytes: number,
): Promise<{ readonly first: Buffer[]; readonly isAll: boolean }> {
  const first: Buffer[] = []
  for (let length = 0; length <= maxBytes;) {
    const { done, value } = await source.next()
    if (done === true) return { first, isAll: true }
    first.push(value)
    length += value.byteLength
  }
  return { first, isAll: false }
}

async function* both(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

async function listLarge(large: ArtifactStore, query: ArtifactQuery, after: string): Promise<Page<Artifact>> {
  const start = after.slice(largePage.length)
  const { items, next } = await large.list({ ...query, after: start === '' ? undefined : start })
  return next === undefined ? { items } : { items, next: `${largePage}${next}` }
}
