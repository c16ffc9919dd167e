import type { Wanted } from '../server/answer.ts'

/** What a client has seen of an answer. */
export interface Answered {
  readonly firstByteMs: number
  readonly firstWordMs: number
  /** In how many pieces its words came. */
  readonly pieces: number
}

/** What has come of an answer so far. */
export class Answer {
  readonly #began = performance.now()
  #firstByteMs = Number.NaN
  #firstWordMs = Number.NaN
  #pieces = 0
  #text = ''

  take(chunk: string): void {
    const now = performance.now() - this.#began
    if (Number.isNaN(this.#firstByteMs)) this.#firstByteMs = now
    this.#text += chunk
    if (!chunk.includes('word')) return
    this.#pieces++
    if (Number.isNaN(this.#firstWordMs)) this.#firstWordMs = now
  }

  /** Whether what tells the end of a turn has come. */
  hasEnded(end: string): boolean {
    return this.#text.includes(end, this.#text.length - 4_000)
  }

  /** Fewer deltas would be another, cheaper answer. */
  complete({ deltas }: Wanted): Answered {
    const words = new Set(this.#text.match(/word\d+\./g))
    if (words.size !== deltas) {
      throw new Error(`${words.size} words arrived instead of ${deltas}: ${this.#text.slice(-2_000)}`)
    }
    return { firstByteMs: this.#firstByteMs, firstWordMs: this.#firstWordMs, pieces: this.#pieces }
  }
}
