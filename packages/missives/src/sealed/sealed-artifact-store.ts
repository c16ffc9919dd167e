import type { Artifact, ArtifactStore } from '@cool-ai/beach-core'
import { notOpened } from '@cool-ai/beach-core/encryption'
import type {
  ArtifactAbout,
  ArtifactContent,
  ArtifactQuery,
  ByteRange,
  Page,
  StoredArtifact,
} from '@cool-ai/beach-core/ports'
import { checkedRange } from '../artifacts/admission.ts'
import { parseMimeType } from '../artifacts/media-type.ts'
import { pieces } from '../artifacts/pieces.ts'
import { safeName } from '../artifacts/safe-name.ts'
import { Sniffer } from '../artifacts/sniff.ts'
import {
  ArtifactKey,
  type ArtifactOwner,
  chunksWith,
  endBytes,
  headBytes,
  headOf,
  sealedChunksOf,
  wrappedIn,
} from './sealed-artifact.ts'

/** Wraps the keys of artifacts, by the key of their session where they have one. */
export interface ArtifactKeys {
  wrap(key: Uint8Array, owner: ArtifactOwner): Promise<string>
  /** Undefined when the key that has wrapped it was destroyed. */
  unwrap(wrapped: string, owner: ArtifactOwner): Promise<Uint8Array | undefined>
}

const sealedName = 'sealed'
const atOnce = 8
const defaultMaxBytes = 25 * 1024 * 1024

/**
 * A store of artifacts whose bytes and names are encrypted. Their tenants, sessions, times and lengths stay readable;
 * artifacts that were stored before are read as they are.
 */
export class SealedArtifactStore implements ArtifactStore {
  declare readonly discardLeftovers?: NonNullable<ArtifactStore['discardLeftovers']>
  declare readonly check?: NonNullable<ArtifactStore['check']>
  declare readonly close?: NonNullable<ArtifactStore['close']>
  readonly #store: ArtifactStore
  readonly #keys: ArtifactKeys
  readonly #maxBytes: number

  /** `maxBytes` is the limit of an artifact before it is encrypted, which makes it longer by less than 1 %, and 2 kB. */
  constructor(store: ArtifactStore, keys: ArtifactKeys, options: { readonly maxBytes?: number | undefined } = {}) {
    this.#store = store
    this.#keys = keys
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes
    if (store.discardLeftovers !== undefined) this.discardLeftovers = store.discardLeftovers.bind(store)
    if (store.check !== undefined) this.check = store.check.bind(store)
    if (store.close !== undefined) this.close = store.close.bind(store)
  }

  async put(content: ArtifactContent, about: ArtifactAbout, signal?: AbortSignal): Promise<Artifact> {
    const { mimeType: declared } = parseMimeType(about.mimeType)
    const key = new ArtifactKey(about)
    const sniffer = new Sniffer()
    const said: { description?: Pick<Artifact, 'name' | 'mimeType' | 'sizeBytes' | 'sha256'> } = {}
    const bytes = sniffer.passing(pieces(content, this.#maxBytes, signal))
    const sealed = key.seal(bytes, (of) => {
      said.description = { name: safeName(about.name), mimeType: sniffer.type(declared), ...of }
      return said.description
    })
    const head = async () => headOf(await this.#keys.wrap(key.bytes, about))
    try {
      const kept = await this.#store.put(both(head, sealed), { ...about, name: sealedName }, signal)
      return { ...kept, ...said.description }
    } finally {
      // The source is let go of before the caller is answered, even if the store has not begun to read it.
      if (signal?.aborted === true) await sealed.next().catch(() => {})
      await sealed.return(undefined).catch(() => {})
    }
  }

  async get(artifactId: string, tenant: string): Promise<StoredArtifact | undefined> {
    const found = await this.#store.get(artifactId, tenant)
    return found?.artifact.name === sealedName ? this.#opened(found) : found
  }

  delete(artifactId: string, tenant: string): Promise<boolean> {
    return this.#store.delete(artifactId, tenant)
  }

  async list(query?: ArtifactQuery): Promise<Page<Artifact>> {
    const page = await this.#store.list(query)
    const items: Artifact[] = []
    for (let start = 0; start < page.items.length; start += atOnce) {
      const some = page.items.slice(start, start + atOnce)
      items.push(...(await Promise.all(some.map((artifact) => this.#described(artifact)))))
    }
    return { ...page, items }
  }

  async #described(artifact: Artifact): Promise<Artifact> {
    if (artifact.name !== sealedName) return artifact
    return (await this.get(artifact.artifactId, artifact.tenant))?.artifact ?? artifact
  }

  async #opened(found: StoredArtifact): Promise<StoredArtifact> {
    const { artifact } = found
    const { sizeBytes: length, artifactId } = artifact
    if (length < headBytes + endBytes) return found
    const wrapped = wrappedIn(await bytesOf(found.open({ start: 0, end: headBytes })))
    // It was stored before artifacts were encrypted.
    if (wrapped === undefined) return found
    const bytes = await this.#keys.unwrap(wrapped, artifact)
    if (bytes === undefined) return { artifact, open: () => failing(notOpened(['artifact', artifactId])) }
    const key = new ArtifactKey(artifact, bytes)
    const description = key.describe(await bytesOf(found.open({ start: length - endBytes, end: length })))
    return {
      artifact: { ...artifact, ...description },
      open: (range) => {
        const wanted = checkedRange(range, description.sizeBytes)
        return contentStream(wanted, description.sizeBytes, key, (stored) => found.open(stored))
      },
    }
  }
}

async function* both(head: () => Promise<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield await head()
  yield* rest
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream))
}

function failing(error: Error): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(error) })
}

/** A range of the content. Nothing is read ahead. */
function contentStream(
  { start, end }: ByteRange,
  sizeBytes: number,
  key: ArtifactKey,
  open: (stored: ByteRange) => ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const { first, stored, skipped } = chunksWith({ start, end }, sizeBytes)
  let left = end - start
  let number = first
  let chunks: AsyncGenerator<Buffer> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (left === 0) return controller.close()
        chunks ??= sealedChunksOf(open(stored))
        const { done, value } = await chunks.next()
        if (done === true) throw notOpened(['artifact', 'bytes', String(number)])
        const opened = key.openChunk(value, number)
        const wanted = opened.subarray(number === first ? skipped : 0).subarray(0, left)
        number++
        left -= wanted.byteLength
        controller.enqueue(new Uint8Array(wanted))
        if (left > 0) return
        await chunks.return(undefined)
        controller.close()
      },
      async cancel() {
        await chunks?.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
