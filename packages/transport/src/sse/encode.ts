import type { Frame } from '@cool-ai/beach-core'

const encoder = new TextEncoder()
const encoded = new WeakMap<Frame, Uint8Array<ArrayBuffer>>()

/** The first bytes of a stream: they open it at once and say how soon to come back. */
export const opening = encoder.encode(': beach\nretry: 1000\n\n')

/** A comment that keeps proxies and half-open connections honest. */
export const heartbeat = encoder.encode(':\n\n')

/** A frame as a server-sent event. Frames are shared by all viewers of a session, so each is encoded once. */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const known = encoded.get(frame)
  if (known !== undefined) return known
  const { kind, cursor, ...data } = frame
  const id = cursor === undefined ? '' : `id: ${cursor}\n`
  const bytes = encoder.encode(`event: ${kind}\n${id}data: ${JSON.stringify(data)}\n\n`)
  encoded.set(frame, bytes)
  return bytes
}
