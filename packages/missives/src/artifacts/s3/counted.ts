import { createHash } from 'node:crypto'

// Above the 5 MB that a piece of an upload must have.
const pieceBytes = 8 * 1024 * 1024

/** Bytes in pieces that can be uploaded, counted and hashed on their way. */
export class HashedUpload {
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
