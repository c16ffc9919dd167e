import type { Clock } from './clock.ts'
import { silentLogger, type Logger } from './logger.ts'
import { encodeId, type Runtime } from './runtime.ts'

interface Timer {
  at: number
  order: number
  run: () => void
}

/** A clock that stands still until it is told to advance; timers fire in order of time, then of creation. */
export class SimulatedClock implements Clock {
  #now: number
  /** What `elapsed` counts from: it moves with the time that is set. */
  #zero: number
  #order = 0
  #timers: Timer[] = []
  readonly #ends = new Set<{ at: number }>()

  readonly #settle: () => Promise<void>

  /** `settled` waits for what happens meanwhile; by default for promises, and not for a network. */
  constructor(start = Date.UTC(2026, 0, 1), settled: () => Promise<void> = settle) {
    this.#now = start
    this.#zero = start
    this.#settle = settled
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now - this.#zero
  }

  /** Sets the time forward, or back when `ms` is negative. No time passes, and timers fire when they would have. */
  step(ms: number): void {
    this.#now += ms
    this.#zero += ms
    for (const moment of [...this.#timers, ...this.#ends]) moment.at += ms
  }

  timer(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Time passes all at once, as on a machine that was suspended: what fell due meanwhile happens at its end. */
  async suspend(ms: number): Promise<void> {
    this.#now += ms
    await this.advance(0)
  }

  /** The time of the next timer, if there is one. */
  next(): number | undefined {
    return this.#earliest()?.at
  }

  /** Moves time forward by `ms`, firing what falls due and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = { at: this.#now + ms }
    this.#ends.add(end)
    await this.#settle()
    for (let timer = this.#earliest(); timer !== undefined && timer.at <= end.at; timer = this.#earliest()) {
      this.#now = Math.max(this.#now, timer.at)
      this.#timers = this.#timers.filter((other) => other !== timer)
      timer.run()
      await this.#settle()
    }
    this.#now = end.at
    this.#ends.delete(end)
  }

  #earliest(): Timer | undefined {
    let best: Timer | undefined
    for (const timer of this.#timers) {
      if (best === undefined || timer.at < best.at || (timer.at === best.at && timer.order < best.order)) best = timer
    }
    return best
  }
}

/** Lets every promise that can settle do so (a macrotask turn of the event loop). */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A runtime for tests: simulated time, and identifiers and chance that follow from the seed. */
export function simulatedRuntime(
  options: { seed?: number; clock?: SimulatedClock; logger?: Logger } = {},
): Runtime & { readonly clock: SimulatedClock } {
  const random = mulberry32(options.seed ?? 1)
  return {
    clock: options.clock ?? new SimulatedClock(),
    logger: options.logger ?? silentLogger,
    random,
    id: (prefix) => `${prefix}_${encodeId(Uint8Array.from({ length: 16 }, () => Math.floor(random() * 256)))}`,
  }
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
