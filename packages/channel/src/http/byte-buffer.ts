const firstBytes = 4 * 1024

/**
 * Bytes that come piece by piece. They take about as much memory as has come, however small the pieces are: a buffer for
 * each of them would cost a hundred times what it holds.
 */
export class ByteBuffer {
  #bytes: Uint8Array = new Uint8Array(0)
  #size = 0

  /** How many have come. */
  get size(): number {
    return this.#size
  }

  /** How many are held for them. */
  get held(): number {
    return this.#bytes.byteLength
  }

  add(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength
    if (this.#size === 0) {
      // Most bodies come in one piece, which is theirs alone.
      this.#bytes = piece
    } else {
      if (size > this.#bytes.byteLength) this.#grow(size)
      this.#bytes.set(piece, this.#size)
    }
    this.#size = size
  }

  /** All that has come. */
  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, size, this.#bytes.byteLength * 2))
    larger.set(this.whole())
    this.#bytes = larger
  }
}
