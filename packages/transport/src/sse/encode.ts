import type { Frame } from '@cool-ai/beach-core'

const encoded = new WeakMap<Frame, string>()

/** The first line of a stream: it opens it at once and says how soon to come back. */
export const opening = ': beach\nretry: 1000\n\n'

/** A comment that keeps proxies and half-open connections honest. */
export const heartbeat = ':\n\n'

/** A frame as a server-sent event. Frames are shared by all viewers of a session, so each is encoded once. */
export function encodeFrame(frame: Frame): string {
  const known = encoded.get(frame)
  if (known !== undefined) return known
  const { kind, cursor, ...data } = frame
  const id = cursor === undefined ? '' : `id: ${cursor}\n`
  const text = `event: ${kind}\n${id}data: ${JSON.stringify(data)}\n\n`
  encoded.set(frame, text)
  return text
}
