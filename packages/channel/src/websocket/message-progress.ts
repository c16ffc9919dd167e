const control = 0x08

/**
 * Follows the frames of a connection by their headers, to know what the library that reads them does not tell: whether
 * a message has begun and not ended.
 */
export class MessageProgress {
  #header: number[] = []
  #payloadLeft = 0
  #isFragmented = false
  #isControl = false
  #isFinal = true
  #begun = 0

  /** The next bytes of the connection. */
  take(bytes: Uint8Array): void {
    for (let place = 0; place < bytes.length;) {
      if (this.#payloadLeft > 0) {
        const length = Math.min(this.#payloadLeft, bytes.length - place)
        place += length
        this.#payloadLeft -= length
        if (this.#payloadLeft === 0) this.#endFrame()
        continue
      }
      this.#header.push(bytes[place++] ?? 0)
      if (this.#header.length === 1 && !this.#isFragmented) this.#begun++
      if (this.#header.length === headerLength(this.#header)) this.#beginPayload()
    }
  }

  /** The message that has begun and not ended, by a number that no other has; undefined when there is none. */
  get unfinished(): number | undefined {
    return this.#isFragmented || this.#header.length > 0 ? this.#begun : undefined
  }

  #beginPayload(): void {
    const [first = 0, second = 0] = this.#header
    this.#isFinal = (first & 0x80) !== 0
    this.#isControl = (first & control) !== 0
    const length = second & 0x7f
    const rest = this.#header.slice(2, length === 126 ? 4 : length === 127 ? 10 : 2)
    this.#payloadLeft = length < 126 ? length : rest.reduce((sum, byte) => sum * 256 + byte, 0)
    if (this.#payloadLeft === 0) this.#endFrame()
  }

  #endFrame(): void {
    if (!this.#isControl) this.#isFragmented = !this.#isFinal
    this.#header = []
  }
}

/** How long a frame's header is, by its first two bytes; clients' frames have a mask. */
function headerLength([, second]: readonly number[]): number {
  if (second === undefined) return 2
  const length = second & 0x7f
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4)
}
