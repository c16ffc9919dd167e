import { BeachError } from '@cool-ai/beach-core'
import type { ByteRange } from '@cool-ai/beach-core/ports'

const pieceBytes = 256 * 1024

/** A range of an artifact's bytes. Nothing is read ahead: it holds one piece at a time, and no connection. */
export function pieceStream(
  { start, end }: ByteRange,
  read: (start: number, count: number) => Promise<Uint8Array | undefined>,
): ReadableStream<Uint8Array> {
  let position = start
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (position === end) return controller.close()
        const wanted = Math.min(pieceBytes, end - position)
        const piece = await read(position, wanted)
        if (piece === undefined) throw new BeachError('STORE_UNAVAILABLE', 'The bytes of the artifact are gone.')
        if (piece.byteLength < wanted) {
          throw new BeachError('STORE_UNAVAILABLE', 'The artifact is shorter than it was.')
        }
        position += wanted
        controller.enqueue(piece)
        if (position === end) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
