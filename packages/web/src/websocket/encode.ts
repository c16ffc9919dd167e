import type { Piece, StreamForm } from '@cool-ai/beach-channel/live'
import type { Frame } from '@cool-ai/beach-core'

const beat = Buffer.from('{"type":"beat"}')

/** A stream as messages of a WebSocket, one for each frame. */
export function messageForm(sessionId: string, heartbeatMs: number): StreamForm {
  const ready = { type: 'ready', sessionId, heartbeatMs }
  return { opening: Buffer.from(JSON.stringify(ready)), heartbeat: beat, encode }
}

const shortList = 8
let last: { readonly frames: readonly Frame[]; readonly messages: readonly Uint8Array[] } | undefined

/** The viewers of a session get the same list one after the other: as long as it is short, it is encoded once. */
function encode(frames: readonly Frame[], from: number): Piece {
  const next = from + 1
  if (frames.length > shortList) return { bytes: encoded(frames[from]), next }
  if (last?.frames !== frames) last = { frames, messages: frames.map(encoded) }
  return { bytes: last.messages[from] ?? encoded(frames[from]), next }
}

function encoded(frame: Frame | undefined): Uint8Array {
  return Buffer.from(JSON.stringify(frame))
}
