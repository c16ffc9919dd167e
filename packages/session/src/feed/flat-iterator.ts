/**
 * Yields the items of lists one by one, until there are no more or the signal aborts. No generator: that would make
 * several promises for each item.
 */
export class FlatIterator<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #nextList: () => Promise<readonly Item[] | undefined>
  readonly #signal: AbortSignal
  readonly #onEnd: () => void
  #list: readonly Item[] = []
  #given = 0
  #isOver = false
  #isFetching = false
  #last: Promise<unknown> | undefined

  constructor(nextList: () => Promise<readonly Item[] | undefined>, signal: AbortSignal, onEnd: () => void) {
    this.#nextList = nextList
    this.#signal = signal
    this.#onEnd = onEnd
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** May be called again before the last call was answered: the items come in the order of the calls. */
  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#isFetching && this.#last !== undefined) {
      const again = () => this.next()
      return this.#last.then(again, again)
    }
    if (this.#given < this.#list.length && !this.#signal.aborted) return Promise.resolve(this.#give())
    this.#isFetching = true
    const result = this.#more()
    this.#last = result
    return result
  }

  return(): Promise<IteratorResult<Item, undefined>> {
    return Promise.resolve(this.#end())
  }

  async #more(): Promise<IteratorResult<Item, undefined>> {
    try {
      while (!this.#isOver && !this.#signal.aborted) {
        const list = await this.#nextList()
        if (list === undefined) break
        if (list.length === 0) continue
        this.#list = list
        this.#given = 0
        if (!this.#signal.aborted) return this.#give()
      }
      return this.#end()
    } catch (error) {
      this.#end()
      throw error
    } finally {
      this.#isFetching = false
    }
  }

  #give(): IteratorResult<Item, undefined> {
    return { done: false, value: this.#list[this.#given++] as Item }
  }

  #end(): IteratorResult<Item, undefined> {
    if (!this.#isOver) {
      this.#isOver = true
      this.#list = []
      this.#onEnd()
    }
    return { done: true, value: undefined }
  }
}
