import { createHash, randomBytes } from 'node:crypto'
import { keyBytes, sealedExtraBytes, Sealing } from '@cool-ai/beach-core/encryption'
import type { Artifact } from '@cool-ai/beach-core'
import type { ArtifactAbout, ByteRange } from '@cool-ai/beach-core/ports'

/*
 * An encrypted artifact: a head with its wrapped key, its bytes in chunks, and at its end a description. Head and end have
 * a fixed size, so that any range of the bytes is found without the rest.
 */

const magic = Buffer.from('beach-sealed-1\n\0')
export const headBytes = 256
const chunkBytes = 64 * 1024
const sealedChunkBytes = chunkBytes + sealedExtraBytes
const descriptionBytes = 1_024
export const endBytes = descriptionBytes + sealedExtraBytes

/** Whose an artifact is: its key is bound to it. */
export type ArtifactOwner = Pick<ArtifactAbout, 'tenant' | 'session'>

/** What only the description says: everything that its uploader said, and its bytes. */
export type Description = Pick<Artifact, 'name' | 'mimeType' | 'sizeBytes' | 'sha256'>

/** How long an artifact is when it is encrypted. */
export function sealedSize(sizeBytes: number): number {
  return headBytes + sizeBytes + sealedExtraBytes * Math.ceil(sizeBytes / chunkBytes) + endBytes
}

export function headOf(wrapped: string): Buffer {
  const text = Buffer.from(wrapped)
  const head = Buffer.alloc(headBytes)
  magic.copy(head)
  head.writeUInt16BE(text.byteLength, magic.byteLength)
  text.copy(head, magic.byteLength + 2)
  return head
}

/** The wrapped key in a head; undefined when it is none. */
export function wrappedIn(head: Buffer): string | undefined {
  if (head.byteLength < headBytes || !head.subarray(0, magic.byteLength).equals(magic)) return undefined
  const start = magic.byteLength + 2
  return head.toString('utf8', start, start + head.readUInt16BE(magic.byteLength))
}

/** The key of one artifact, which is in its head. Its place is that of the artifact's tenant and session. */
export class ArtifactKey {
  readonly bytes: Uint8Array
  readonly #sealing: Sealing
  readonly #owner: readonly string[]

  constructor(owner: ArtifactOwner, bytes: Uint8Array = randomBytes(keyBytes)) {
    this.bytes = bytes
    this.#sealing = new Sealing(bytes)
    this.#owner = [owner.tenant, owner.session ?? '']
  }

  /** The chunks of the content, and then its description, which `describe` completes. */
  async *seal(
    content: AsyncIterable<Buffer>,
    describe: (of: Pick<Artifact, 'sizeBytes' | 'sha256'>) => Description,
  ): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    let [sizeBytes, number] = [0, 0]
    for await (const chunk of chunksOf(content)) {
      hash.update(chunk)
      sizeBytes += chunk.byteLength
      yield this.#sealing.seal(chunk, this.#place('bytes', number++))
    }
    const text = JSON.stringify(describe({ sizeBytes, sha256: hash.digest('hex') }))
    const padding = ' '.repeat(descriptionBytes - Buffer.byteLength(text))
    yield this.#sealing.seal(text + padding, this.#place('description', 0))
  }

  describe(end: Uint8Array): Description {
    return JSON.parse(this.#sealing.open(end, this.#place('description', 0)).toString()) as Description
  }

  openChunk(sealed: Uint8Array, number: number): Buffer {
    return this.#sealing.open(sealed, this.#place('bytes', number))
  }

  #place(kind: string, number: number): readonly string[] {
    return ['artifact', ...this.#owner, kind, String(number)]
  }
}

/** Where the chunks are that have a range of the content. */
export function chunksWith({ start, end }: ByteRange, sizeBytes: number) {
  const first = Math.floor(start / chunkBytes)
  const last = Math.max(first, Math.ceil(end / chunkBytes))
  const stored: ByteRange = {
    start: headBytes + first * sealedChunkBytes,
    end: Math.min(headBytes + last * sealedChunkBytes, sealedSize(sizeBytes) - endBytes),
  }
  return { first, stored, skipped: start - first * chunkBytes }
}

/** Sealed chunks of bytes as they come. */
export function sealedChunksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  return chunksOf(bytes, sealedChunkBytes)
}

async function* chunksOf(bytes: AsyncIterable<Uint8Array>, size = chunkBytes): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    waiting.push(piece)
    length += piece.byteLength
    if (length < size) continue
    const all = Buffer.concat(waiting)
    let start = 0
    for (; length - start >= size; start += size) yield all.subarray(start, start + size)
    waiting = [all.subarray(start)]
    length -= start
  }
  if (length > 0) yield Buffer.concat(waiting)
}
