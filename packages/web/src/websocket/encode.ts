import type { Piece, StreamForm } from '@cool-ai/beach-channel/live'
import type { Frame } from '@cool-ai/beach-core'
import type { FrameBatch } from '@cool-ai/beach-core/ports'

const beat = Buffer.from('{"type":"beat"}')

/** A stream as messages of a WebSocket, one for each frame. */
export function messageForm(sessionId: string, heartbeatMs: number): StreamForm<FrameBatch> {
  const ready = { type: 'ready', sessionId, heartbeatMs }
  return { opening: Buffer.from(JSON.stringify(ready)), heartbeat: beat, encode }
}

const shortBatch = 8
let last: { readonly batch: FrameBatch; readonly messages: readonly Uint8Array[] } | undefined

/** The viewers of a session get the same batch one after the other: as long as it is short, it is encoded once. */
function encode(batch: FrameBatch, from: number): Piece {
  const next = from + 1 < batch.length ? from + 1 : undefined
  if (batch.length > shortBatch) return { bytes: encoded(batch[from]), next }
  if (last?.batch !== batch) last = { batch, messages: batch.map(encoded) }
  return { bytes: last.messages[from] ?? encoded(batch[from]), next }
}

function encoded(frame: Frame | undefined): Uint8Array {
  return Buffer.from(JSON.stringify(frame))
}
