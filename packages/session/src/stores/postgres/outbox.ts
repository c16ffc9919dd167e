import { sleep, systemClock } from '@cool-ai/beach-core'

export interface OutboxOptions<Item> {
  readonly send: (items: readonly Item[]) => Promise<unknown>
  readonly maxAtOnce: number
  /** More than that are not kept: the oldest go. */
  readonly maxWaiting: number
  /** What cannot be sent is dropped; otherwise it is tried again. */
  readonly isLossy?: boolean | undefined
}

const pauseMs = 200

/** Items that are sent together: those of one turn of the event loop, or all that came while others were sent. */
export class Outbox<Item> {
  readonly #options: OutboxOptions<Item>
  #waiting: Item[] = []
  #running: Promise<void> | undefined
  #ending = false

  constructor(options: OutboxOptions<Item>) {
    this.#options = options
  }

  add(item: Item): void {
    this.#waiting.push(item)
    if (this.#waiting.length > this.#options.maxWaiting) this.#waiting.shift()
    this.#running ??= this.#run()
  }

  /** Resolves when all that waits was sent, or could not be: nothing is tried again any more. */
  async end(): Promise<void> {
    this.#ending = true
    await this.#running
  }

  async #run(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      // The same item twice says no more than once.
      const batch = [...new Set(this.#waiting.splice(0, this.#options.maxAtOnce))]
      try {
        await this.#options.send(batch)
      } catch {
        if (this.#options.isLossy === true || this.#ending) continue
        this.#waiting.unshift(...batch)
        await sleep(systemClock, pauseMs)
      }
    }
    this.#running = undefined
  }
}
