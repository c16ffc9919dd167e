import { createHash } from 'node:crypto'
import { BeachError, systemRuntime, type Artifact, type ArtifactStore, type Runtime } from '@cool-ai/beach-core'
import type {
  ArtifactAbout,
  ArtifactContent,
  ArtifactQuery,
  ByteRange,
  Page,
  StoredArtifact,
} from '@cool-ai/beach-core/ports'
import { parseAbout } from '../about.ts'
import { Admission, checkedRange, isListed, listLimit, type ArtifactLimits } from '../admission.ts'
import { isArtifactId } from '../artifact-folder.ts'
import { pieces } from '../pieces.ts'
import { Sniffer } from '../sniff.ts'
import { Bucket, type BucketOptions } from './bucket.ts'

/** The bucket and limits of a store of artifacts. */
export interface S3ArtifactStoreOptions extends ArtifactLimits, BucketOptions {
  /** Where in the bucket, such as `beach/`; at its root when left out. */
  readonly prefix?: string | undefined
  readonly runtime?: Runtime | undefined
}

const atOnce = 8
// Above the 5 MB that a piece of an upload must have.
const pieceBytes = 8 * 1024 * 1024

/**
 * Artifacts in a bucket of S3, or of another service with its protocol: for agents on several machines. The bytes of an
 * artifact are written before its record, and deleted after it, so a crash leaves it whole or not at all; bytes without
 * a record are removed by `discardLeftovers`.
 */
export class S3ArtifactStore implements ArtifactStore {
  readonly #bucket: Bucket
  readonly #prefix: string
  readonly #admission: Admission
  readonly #runtime: Runtime

  constructor(options: S3ArtifactStoreOptions) {
    const { prefix = '', runtime = systemRuntime(), maxBytes, mimeTypes, ...bucket } = options
    if (!/^(?:(?!\.+\/)[\w.-]+\/)*$/.test(prefix)) {
      throw new BeachError('INVALID_CONFIGURATION', `'${prefix}' is not a prefix in a bucket; give one like 'beach/'.`)
    }
    this.#prefix = prefix
    this.#runtime = runtime
    this.#bucket = new Bucket(bucket, runtime)
    this.#admission = new Admission(runtime, { maxBytes, mimeTypes })
  }

  async put(content: ArtifactContent, about: ArtifactAbout, signal?: AbortSignal): Promise<Artifact> {
    const admitted = this.#admission.admit(about)
    const keys = this.#keys(admitted.artifactId, admitted.tenant)
    const sniffer = new Sniffer()
    const counted = new HashedUpload(sniffer.passing(pieces(content, this.#admission.maxBytes, signal)))
    try {
      await this.#upload(keys.content, counted.pieces(), signal)
      const { sizeBytes, sha256 } = counted
      const artifact: Artifact = { ...admitted, mimeType: sniffer.type(admitted.mimeType), sizeBytes, sha256 }
      if (artifact.session !== undefined) await this.#bucket.put(this.#entryKey(artifact), Buffer.alloc(0), signal)
      await this.#bucket.put(keys.about, Buffer.from(JSON.stringify(artifact)), signal)
      return artifact
    } catch (error) {
      await this.#remove(keys.content)
      throw error
    }
  }

  async get(artifactId: string, tenant: string): Promise<StoredArtifact | undefined> {
    const artifact = await this.#find(artifactId, tenant)
    if (artifact === undefined) return undefined
    const { content } = this.#keys(artifactId, tenant)
    return { artifact, open: (range) => this.#open(content, checkedRange(range, artifact.sizeBytes)) }
  }

  async delete(artifactId: string, tenant: string): Promise<boolean> {
    const artifact = await this.#find(artifactId, tenant)
    if (artifact === undefined) return false
    const keys = this.#keys(artifactId, tenant)
    await this.#bucket.delete(keys.about)
    await this.#bucket.delete(keys.content)
    if (artifact.session !== undefined) await this.#bucket.delete(this.#entryKey(artifact))
    return true
  }

  async list(query: ArtifactQuery = {}): Promise<Page<Artifact>> {
    const limit = listLimit(query)
    const { tenant, session, after } = query
    if (after !== undefined && !after.startsWith(this.#prefix)) {
      throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
    }
    const entries = await this.#bucket.list(this.#under(tenant, session), after, limit)
    const items: Artifact[] = []
    for (let start = 0; start < entries.length; start += atOnce) {
      const found = await Promise.all(
        entries.slice(start, start + atOnce).map(({ key }) => this.#about(this.#aboutKeyOf(key))),
      )
      items.push(...found.flatMap((artifact) => (artifact && isListed(artifact, query) ? [artifact] : [])))
    }
    const last = entries.at(-1)
    return entries.length < limit || last === undefined ? { items } : { items, next: last.key }
  }

  async discardLeftovers(before: number): Promise<number> {
    const under = `${this.#prefix}content/`
    let count = 0
    for (let after: string | undefined; ;) {
      const entries = await this.#bucket.list(under, after, 1_000)
      for (const { key, changedAt } of entries) {
        if (changedAt >= before) continue
        const about = await this.#about(`${this.#prefix}about/${key.slice(under.length)}`)
        if (about !== undefined) continue
        await this.#bucket.delete(key)
        count++
      }
      after = entries.at(-1)?.key
      if (entries.length < 1_000) return count
    }
  }

  async #upload(key: string, bytes: AsyncGenerator<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const first = await bytes.next()
    const second = first.done === true ? first : await bytes.next()
    if (second.done === true) {
      return this.#bucket.put(key, first.done === true ? Buffer.alloc(0) : first.value, signal)
    }
    const all = async function* () {
      yield first.value as Uint8Array
      yield second.value
      yield* bytes
    }
    await this.#bucket.putPieces(key, all(), signal)
  }

  /** Nothing is requested before the first read. */
  #open(key: string, range: ByteRange): ReadableStream<Uint8Array> {
    const bucket = this.#bucket
    const ending = new AbortController()
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
    let left = range.end - range.start
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (left === 0) return controller.close()
          reader ??= (await bucket.get(key, range, ending.signal))?.body?.getReader()
          if (reader === undefined) throw new BeachError('STORE_UNAVAILABLE', 'The bytes of the artifact are gone.')
          const { done, value } = await reader.read()
          if (done) throw new BeachError('STORE_UNAVAILABLE', 'The artifact is shorter than it was.')
          const wanted = value.subarray(0, left)
          left -= wanted.byteLength
          controller.enqueue(wanted)
          if (left > 0) return
          controller.close()
          // Some servers return more than was requested.
          await reader.cancel().catch(() => {})
        },
        async cancel() {
          ending.abort()
          await reader?.cancel().catch(() => {})
        },
      },
      { highWaterMark: 0 },
    )
  }

  async #find(artifactId: string, tenant: string): Promise<Artifact | undefined> {
    if (!isArtifactId(artifactId)) return undefined
    const artifact = await this.#about(this.#keys(artifactId, tenant).about)
    return artifact?.artifactId === artifactId && artifact.tenant === tenant ? artifact : undefined
  }

  async #about(key: string): Promise<Artifact | undefined> {
    return parseAbout(await (await this.#bucket.get(key))?.text())
  }

  async #remove(key: string): Promise<void> {
    try {
      await this.#bucket.delete(key)
    } catch (error) {
      this.#runtime.logger.log('warn', 'bytes without an artifact are left in the bucket', { error })
    }
  }

  #under(tenant: string | undefined, session: string | undefined): string {
    if (tenant === undefined) return `${this.#prefix}about/`
    if (session === undefined) return `${this.#prefix}about/${named(tenant)}/`
    return `${this.#prefix}sessions/${named(tenant)}/${named(session)}/`
  }

  #keys(artifactId: string, tenant: string): { readonly about: string; readonly content: string } {
    const end = `${named(tenant)}/${artifactId}`
    return { about: `${this.#prefix}about/${end}`, content: `${this.#prefix}content/${end}` }
  }

  /** By which the artifacts of a session are found. */
  #entryKey({ artifactId, tenant, session = '' }: Artifact): string {
    return `${this.#prefix}sessions/${named(tenant)}/${named(session)}/${artifactId}`
  }

  /** What an entry of a list stands for. */
  #aboutKeyOf(key: string): string {
    const start = `${this.#prefix}sessions/`
    if (!key.startsWith(start)) return key
    const [tenant, , artifactId] = key.slice(start.length).split('/')
    return `${this.#prefix}about/${tenant}/${artifactId}`
  }
}

/** Any name as a piece of a key that every bucket takes. */
function named(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 40)
}

/** Bytes in pieces that can be uploaded, counted and hashed on their way. */
class HashedUpload {
  readonly #bytes: AsyncIterable<Uint8Array>
  readonly #hash = createHash('sha256')
  sizeBytes = 0
  sha256 = ''

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    let waiting: Uint8Array[] = []
    let length = 0
    for await (const piece of this.#bytes) {
      this.#hash.update(piece)
      this.sizeBytes += piece.byteLength
      waiting.push(piece)
      length += piece.byteLength
      if (length < pieceBytes) continue
      yield Buffer.concat(waiting)
      waiting = []
      length = 0
    }
    this.sha256 = this.#hash.digest('hex')
    if (length > 0) yield Buffer.concat(waiting)
  }
}
