/** Text of open parts as it comes, and what of it has not been sent yet. */
export class TextBuffer {
  readonly #open = new Map<string, OpenText>()

  /** Adds a piece; true when it is the first of its part. */
  add(partId: string, partType: string, offset: number, text: string): boolean {
    const open = this.#open.get(partId)
    if (open === undefined) {
      const length = offset + text.length
      this.#open.set(partId, { partType, length, text: [text], waiting: [text], restarts: true, isSent: false })
      return true
    }
    if (offset === open.length) {
      open.waiting.push(text)
      open.text.push(text)
      open.length += text.length
      return false
    }
    // Text that was changed is sent anew from its start.
    const whole = open.text.join('').slice(0, offset) + text
    open.text = [whole]
    open.waiting = [whole]
    open.length = whole.length
    open.restarts = true
    return false
  }

  /** What waits to be sent; afterwards nothing does. */
  take(): Piece[] {
    const pieces: Piece[] = []
    for (const [partId, open] of this.#open) {
      if (open.waiting.length === 0) continue
      pieces.push({ partId, partType: open.partType, text: open.waiting.join(''), append: !open.restarts })
      open.waiting = []
      open.restarts = false
      open.isSent = true
    }
    return pieces
  }

  /** The part is there as a whole. */
  close(partId: string): void {
    this.#open.delete(partId)
  }

  /** Takes back parts, or all that are open; those that had been sent are returned. */
  retract(partIds: readonly string[] = [...this.#open.keys()]): { partId: string; partType: string }[] {
    return partIds.flatMap((partId) => {
      const open = this.#open.get(partId)
      this.#open.delete(partId)
      return open?.isSent === true ? [{ partId, partType: open.partType }] : []
    })
  }
}

interface OpenText {
  readonly partType: string
  length: number
  /** All of it, in pieces: joining them for every piece would make long texts slow. */
  text: string[]
  waiting: string[]
  /** True when the next piece replaces what was sent. */
  restarts: boolean
  isSent: boolean
}

/** A piece of a part's text on its way. */
export interface Piece {
  readonly partId: string
  readonly partType: string
  readonly text: string
  readonly append: boolean
}
