import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { BeachError } from '@cool-ai/beach-core'
import type { ByteRange } from '@cool-ai/beach-core/ports'
import { onDisk } from './artifact-folder.ts'

const chunkBytes = 64 * 1024

/** A range of a file's bytes. The file is open from the first read until the end, an error or a cancel. */
export function fileStream(path: string, range: ByteRange): ReadableStream<Uint8Array> {
  // Nothing is read ahead, so an unread stream holds no descriptor.
  return new ReadableStream<Uint8Array>(new FileSource(path, range), { highWaterMark: 0 })
}

class FileSource {
  readonly #path: string
  readonly #end: number
  #position: number
  #file: Promise<FileHandle> | undefined

  constructor(path: string, { start, end }: ByteRange) {
    this.#path = path
    this.#position = start
    this.#end = end
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const chunk = await onDisk(() => this.#read())
      if (chunk.byteLength > 0) controller.enqueue(chunk)
      if (this.#position < this.#end) return
      await this.#close()
      controller.close()
    } catch (error) {
      await this.#close()
      throw error
    }
  }

  async cancel(): Promise<void> {
    await this.#close()
  }

  async #read(): Promise<Uint8Array> {
    const length = Math.min(chunkBytes, this.#end - this.#position)
    if (length === 0) return new Uint8Array()
    this.#file ??= open(this.#path, 'r')
    const { bytesRead, buffer } = await (await this.#file).read(new Uint8Array(length), 0, length, this.#position)
    if (bytesRead === 0) throw new BeachError('STORE_UNAVAILABLE', 'The artifact is shorter than it was.')
    this.#position += bytesRead
    return buffer.subarray(0, bytesRead)
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.then((opened) => opened.close()).catch(() => {})
  }
}

/** Writes a new file piece by piece and waits until it is on the disk; gives its size and hash. */
export async function writeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<{ sizeBytes: number; sha256: string }> {
  const file = await onDisk(() => open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const piece of content) {
      hash.update(piece)
      // Unlike `write`, it goes on until all of the piece is written.
      await onDisk(() => file.writeFile(piece))
      sizeBytes += piece.byteLength
    }
    await onDisk(() => file.sync())
  } finally {
    await onDisk(() => file.close())
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}
