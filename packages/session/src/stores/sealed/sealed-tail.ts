import type { TailItem } from '@cool-ai/beach-core/ports'

/** Live text, sealed only where it is written: followers in the same process get it as it is. */
export class SealedLive {
  readonly plain: unknown
  readonly #seal: (text: string) => string

  constructor(plain: unknown, seal: (text: string) => string) {
    this.plain = plain
    this.#seal = seal
  }

  toJSON(): { readonly sealed: string } {
    return { sealed: this.#seal(JSON.stringify(this.plain)) }
  }
}

/** Opens the items of a tail, at once where that can be. An iterator of its own, like the tail itself. */
export class OpenedTail implements AsyncIterableIterator<readonly TailItem[], undefined> {
  readonly #tail: AsyncIterator<readonly TailItem[], unknown>
  readonly #open: (items: readonly TailItem[]) => readonly TailItem[] | Promise<readonly TailItem[]>

  constructor(
    tail: AsyncIterable<readonly TailItem[]>,
    open: (items: readonly TailItem[]) => readonly TailItem[] | Promise<readonly TailItem[]>,
  ) {
    this.#tail = tail[Symbol.asyncIterator]()
    this.#open = open
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<readonly TailItem[], undefined>> {
    const { done, value } = await this.#tail.next()
    if (done === true) return { done: true, value: undefined }
    return { done: false, value: await this.#open(value) }
  }

  async return(): Promise<IteratorResult<readonly TailItem[], undefined>> {
    await this.#tail.return?.()
    return { done: true, value: undefined }
  }
}
