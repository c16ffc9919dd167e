import { eventHeartbeat, type Piece, type StreamForm } from '@cool-ai/beach-channel/live'
import type { FrameBatch } from '@cool-ai/beach-core/ports'

const charactersAtOnce = 64 * 1_024

/** A stream as server-sent events. */
export const eventForm: StreamForm<FrameBatch> = {
  // Opens the stream at once and tells the client how soon to reconnect.
  opening: Buffer.from(': beach\nretry: 1000\n\n'),
  heartbeat: eventHeartbeat,
  encode,
}

let last: (Piece & { readonly batch: FrameBatch; readonly from: number }) | undefined

/**
 * Encodes a batch from a place on, not too much of it at once. The viewers of a session get the same batch one after the
 * other: it is encoded once.
 */
function encode(batch: FrameBatch, from: number): Piece {
  if (last?.batch === batch && last.from === from) return last
  let text = ''
  let next = from
  for (let frame = batch[next]; frame !== undefined && text.length < charactersAtOnce; frame = batch[next]) {
    const { kind, cursor, ...data } = frame
    text += `event: ${kind}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${JSON.stringify(data)}\n\n`
    next++
  }
  last = { batch, from, bytes: Buffer.from(text), next: next < batch.length ? next : undefined }
  return last
}
