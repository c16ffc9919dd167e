import type { Clock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

interface Timer {
  readonly due: number
  readonly order: number
  readonly run: () => void
  cancel?: () => void
}

/** The time of a replay: that of the record, set forward from event to event. Once it ticks, it goes on as a clock does. */
export class ReplayClock implements Clock {
  readonly #clock: Clock
  readonly #timers = new Set<Timer>()
  #now: number
  #tickingSince: number | undefined
  #order = 0

  constructor(start: number, clock: Clock) {
    this.#now = start
    this.#clock = clock
  }

  now(): number {
    return this.#tickingSince === undefined ? this.#now : this.#now + elapsed(this.#clock) - this.#tickingSince
  }

  elapsed(): number {
    return this.now()
  }

  timer(ms: number, run: () => void): () => void {
    const timer: Timer = { due: this.now() + Math.max(ms, 0), order: this.#order++, run }
    this.#timers.add(timer)
    if (this.#tickingSince !== undefined) this.#arm(timer)
    return () => this.#drop(timer)
  }

  /** Sets the time forward; what falls due runs. Never back. */
  set(at: number): void {
    const now = this.now()
    if (at <= now) return
    this.#now = at
    if (this.#tickingSince !== undefined) this.#tickingSince = elapsed(this.#clock)
    const due = [...this.#timers].filter((timer) => timer.due <= at)
    for (const timer of due.toSorted((one, other) => one.due - other.due || one.order - other.order)) this.#fire(timer)
    if (this.#tickingSince !== undefined) for (const timer of this.#timers) this.#arm(timer)
  }

  /** From here on time passes by itself. */
  tick(): void {
    if (this.#tickingSince !== undefined) return
    this.#tickingSince = elapsed(this.#clock)
    for (const timer of this.#timers) this.#arm(timer)
  }

  /** Nothing runs any more. */
  stop(): void {
    for (const timer of this.#timers) this.#drop(timer)
  }

  #arm(timer: Timer): void {
    timer.cancel?.()
    timer.cancel = this.#clock.timer(timer.due - this.now(), () => this.#fire(timer))
  }

  #fire(timer: Timer): void {
    if (!this.#timers.has(timer)) return
    this.#drop(timer)
    timer.run()
  }

  #drop(timer: Timer): void {
    timer.cancel?.()
    this.#timers.delete(timer)
  }
}
