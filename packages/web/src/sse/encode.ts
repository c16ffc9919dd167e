import type { Piece, StreamForm } from '@cool-ai/beach-channel/live'
import type { Frame } from '@cool-ai/beach-core'

const encoder = new TextEncoder()
const charactersAtOnce = 64 * 1_024

/** A stream as server-sent events. */
export const eventForm: StreamForm = {
  // It opens the stream at once and says how soon to come back.
  opening: encoder.encode(': beach\nretry: 1000\n\n'),
  // A comment that keeps proxies and half-open connections honest.
  heartbeat: encoder.encode(':\n\n'),
  encode,
}

let last: (Piece & { readonly frames: readonly Frame[]; readonly from: number }) | undefined

/**
 * Encodes a list from a place on, not too much of it at once. The viewers of a session get the same list one after the
 * other: it is encoded once.
 */
function encode(frames: readonly Frame[], from: number): Piece {
  if (last?.frames === frames && last.from === from) return last
  let text = ''
  let next = from
  for (; next < frames.length && text.length < charactersAtOnce; next++) text += encodeFrame(frames[next])
  last = { frames, from, bytes: encoder.encode(text), next }
  return last
}

function encodeFrame(frame: Frame | undefined): string {
  if (frame === undefined) return ''
  const { event, id, data } = eventOf(frame)
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** What an event holds. */
export function eventOf({ kind, cursor, ...data }: Frame): {
  readonly event: string
  readonly id?: string
  readonly data: object
} {
  return { event: kind, ...(cursor !== undefined && { id: cursor }), data }
}
