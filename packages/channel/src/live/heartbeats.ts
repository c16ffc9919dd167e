import type { Clock } from '@cool-ai/beach-core'

/** A connection that shows from time to time that it is alive. */
export interface HeartbeatTarget {
  beat(): void
}

const slots = 16

/**
 * Heartbeats of any number of connections on one timer: each has its place in the round, so that they do not all beat at
 * once, and costs nothing while it rests.
 */
export class Heartbeats {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #round: readonly Set<HeartbeatTarget>[] = Array.from({ length: slots }, () => new Set<HeartbeatTarget>())
  #next = 0
  #count = 0
  #isRunning = false

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Beats from now on, first after a round; the returned function ends it. */
  add(beating: HeartbeatTarget): () => void {
    // The place that has just been passed comes last in the round.
    const slot = this.#round[(this.#next + slots - 1) % slots]
    slot?.add(beating)
    this.#count++
    if (!this.#isRunning) this.#wait()
    return () => {
      if (slot?.delete(beating) === true) this.#count--
    }
  }

  #wait(): void {
    this.#isRunning = true
    this.#clock.timer(this.#everyMs / slots, () => {
      const slot = this.#round[this.#next] ?? []
      this.#next = (this.#next + 1) % slots
      for (const beating of slot) beating.beat()
      if (this.#count > 0) this.#wait()
      else this.#isRunning = false
    })
  }
}
