import { elapsed, type Clock } from '../clock.ts'

/**
 * The server's time, which all processes of a store share, as far as its answers tell. Between two answers it runs by
 * this process's monotonic clock, so setting the machine's time does not change it.
 */
export class DatabaseClock implements Clock {
  readonly #local: Clock
  #offset: number
  /** How far the offset may be wrong. */
  #uncertainty = Infinity

  constructor(local: Clock) {
    this.#local = local
    this.#offset = local.now() - elapsed(local)
  }

  now(): number {
    return elapsed(this.#local) + this.#offset
  }

  elapsed(): number {
    return elapsed(this.#local)
  }

  timer(ms: number, run: () => void): () => void {
    return this.#local.timer(ms, run)
  }

  /** The server said this time in an answer to a question that was sent at `sentAt`, by `elapsed`. */
  observe(serverTime: number, sentAt: number): void {
    const receivedAt = elapsed(this.#local)
    const uncertainty = (receivedAt - sentAt) / 2
    const offset = serverTime - (sentAt + receivedAt) / 2
    // An answer that took long tells less than an earlier one that agrees with it.
    const agrees = Math.abs(offset - this.#offset) <= uncertainty + this.#uncertainty
    if (agrees && uncertainty > this.#uncertainty) return
    this.#offset = offset
    this.#uncertainty = uncertainty
  }
}
