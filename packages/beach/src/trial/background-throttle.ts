import { BeachError, SimulatedClock, sleep, systemClock, type Clock } from '@cool-ai/beach-core'
import { elapsed, keepAlive, yieldToEventLoop } from '@cool-ai/beach-core/runtime'

/** In memory an answer needs no time to pass: a few rounds of the event loop are enough. */
const rounds = 100
const tickMs = 5
const maxTickMs = 50

/** How time passes for an agent on trial: its clock stands still, except while a caller waits for its answer. */
export class BackgroundThrottle {
  readonly #clock: Clock
  readonly #maxTicks: number
  #advanced: Promise<void> = Promise.resolve()

  constructor(clock: Clock, maxWaitMs: number) {
    this.#clock = clock
    this.#maxTicks = maxWaitMs / tickMs
  }

  /** Moves the clock forward, and lets work that fell due come to its end as far as it needs no further time. */
  async advance(ms: number): Promise<void> {
    if (!(this.#clock instanceof SimulatedClock)) {
      throw new BeachError('INVALID_CONFIGURATION', 'Only a simulated clock can be advanced. Leave out `runtime`.')
    }
    await this.#move(this.#clock, ms)
    for (let round = 0; round < rounds; round++) await yieldToEventLoop()
  }

  /** Waits until `isDone`; false when that takes too long. Meanwhile the clock runs as fast as the machine's. */
  until(isDone: () => boolean): Promise<boolean> {
    return keepAlive(this.#until(isDone))
  }

  /** The result of `work`, while the clock runs. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    let isOver = false
    const over = () => (isOver = true)
    work.then(over, over)
    if (await this.until(() => isOver)) return work
    throw new BeachError('TIMEOUT', 'This takes longer than `maxWaitMs`.')
  }

  async #until(isDone: () => boolean): Promise<boolean> {
    for (let round = 0; round < rounds + this.#maxTicks; round++) {
      if (isDone()) return true
      await (round < rounds ? yieldToEventLoop() : this.#tick())
    }
    return isDone()
  }

  async #tick(): Promise<void> {
    const before = elapsed(systemClock)
    await sleep(systemClock, tickMs)
    // A machine that was busy, or asleep, must not make everything fall due at once.
    const passed = Math.min(Math.max(tickMs, elapsed(systemClock) - before), maxTickMs)
    if (this.#clock instanceof SimulatedClock) await this.#move(this.#clock, passed)
  }

  /** One move at a time: two that overlap would set the clock back. */
  #move(clock: SimulatedClock, ms: number): Promise<void> {
    this.#advanced = this.#advanced.then(() => clock.advance(ms))
    return this.#advanced
  }
}
