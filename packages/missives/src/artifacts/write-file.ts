import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { onDisk } from './artifact-folder.ts'

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
