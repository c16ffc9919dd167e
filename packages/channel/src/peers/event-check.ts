import { BeachError } from '@cool-ai/beach-core'

// As much as the SDK's client takes.
const maxLineLength = 4 * 1024 * 1024

/**
 * Checks server-sent events before the SDK's client does: its REST client writes an event that is no JSON to the
 * console as it is, and foreign text must not appear there.
 */
export class EventCheck {
  readonly #decoder = new TextDecoder()
  #line = ''
  #data: string[] = []

  /** Throws for an event that is no JSON. */
  take(piece: Uint8Array): void {
    const text = this.#decoder.decode(piece, { stream: true })
    const end = text.lastIndexOf('\n')
    // Only whole events are split: a line that comes in many small pieces would be gone through again with each.
    const lines = end === -1 ? [] : (this.#line + text.slice(0, end)).split('\n')
    this.#line = end === -1 ? this.#line + text : text.slice(end + 1)
    if (this.#line.length > maxLineLength)
      throw new BeachError('TOO_LARGE', 'The peer has sent an event that is too large.')
    for (const line of lines) this.#takeLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }

  /** The same for an event that is cut off by the end. */
  end(): void {
    this.#takeLine('')
  }

  #takeLine(line: string): void {
    if (line.startsWith('data:')) this.#data.push(line.slice('data:'.length))
    if (line !== '' || this.#data.length === 0) return
    const data = this.#data.join('\n')
    this.#data = []
    try {
      JSON.parse(data)
    } catch (cause) {
      throw new BeachError('PEER_PROTOCOL', 'The peer has sent an event that is no JSON.', { cause })
    }
  }
}
