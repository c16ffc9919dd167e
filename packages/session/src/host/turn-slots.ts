/** Room for a limited number of turns at the same time; further turns wait in line. */
export class TurnSlots {
  readonly #urgent = new Set<() => void>()
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(max: number) {
    this.#free = max
  }

  get isFull(): boolean {
    return this.#free <= 0
  }

  /** How to give the room back, if there is some right now. */
  takeNow(): (() => void) | undefined {
    if (this.isFull) return undefined
    this.#free--
    return () => this.#giveBack()
  }

  /**
   * Resolves with how to give the room back or, when the signal aborts first, with nothing to give back. Waiters that are
   * urgent go before all others.
   */
  async take(signal: AbortSignal, isUrgent = false): Promise<() => void> {
    if (signal.aborted) return () => {}
    const now = this.takeNow()
    if (now !== undefined) return now
    if (!(await this.#wait(signal, isUrgent ? this.#urgent : this.#waiting))) return () => {}
    return () => this.#giveBack()
  }

  /** True once freed capacity was taken; false when the signal aborts before. */
  #wait(signal: AbortSignal, line: Set<() => void>): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isMine: boolean) => {
        line.delete(taken)
        signal.removeEventListener('abort', aborted)
        resolve(isMine)
      }
      const taken = () => end(true)
      const aborted = () => end(false)
      line.add(taken)
      signal.addEventListener('abort', aborted, { once: true })
    })
  }

  #giveBack(): void {
    const [next] = this.#urgent.size > 0 ? this.#urgent : this.#waiting
    if (next === undefined) this.#free++
    else next()
  }
}
