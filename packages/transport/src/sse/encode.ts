import type { Frame } from '@cool-ai/beach-core'

/** The first line of a stream: it opens it at once and says how soon to come back. */
export const opening = ': beach\nretry: 1000\n\n'

/** A comment that keeps proxies and half-open connections honest. */
export const heartbeat = ':\n\n'

let last: { readonly frame: Frame; readonly text: string } | undefined

/** A frame as a server-sent event. The viewers of a session get the same frame one after the other: it is encoded once. */
export function encodeFrame(frame: Frame): string {
  if (last?.frame === frame) return last.text
  const { kind, cursor, ...data } = frame
  const id = cursor === undefined ? '' : `id: ${cursor}\n`
  const text = `event: ${kind}\n${id}data: ${JSON.stringify(data)}\n\n`
  last = { frame, text }
  return text
}
