/** Room for a limited number of turns at the same time; whoever finds none waits in line. */
export class TurnSlots {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  /** Resolves with how to give the room back or, when the signal aborts first, with nothing to give back. */
  async take(signal: AbortSignal): Promise<() => void> {
    while (this.#free <= 0 && !signal.aborted) await this.#wait(signal)
    if (signal.aborted) return () => {}
    this.#free--
    return () => this.#giveBack()
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        this.#waiting.delete(resume)
        signal.removeEventListener('abort', resume)
        resolve()
      }
      this.#waiting.add(resume)
      signal.addEventListener('abort', resume, { once: true })
    })
  }

  #giveBack(): void {
    this.#free++
    const [next] = this.#waiting
    next?.()
  }
}
