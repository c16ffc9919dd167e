/** Time as the program sees it. Nothing else calls `Date.now` or `setTimeout`. */
export interface Clock {
  /**
   * The machine's time, which can be set back or forward at any moment: for what outlives the process, and for people.
   */
  now(): number
  /**
   * Milliseconds since some moment, unaffected by changes of the machine's time; `now` counts where it is absent. See
   * `elapsed`.
   */
  elapsed?(): number
  /** Calls `run` once after `ms`; the returned function cancels it. A timer never keeps the process alive; see `keepAlive`. */
  timer(ms: number, run: () => void): () => void
}

// Node fires timers beyond this at once; waiting in pieces keeps a far deadline far.
const maxTimerMs = 2_147_483_647

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  timer(ms, run) {
    let cancelRest: (() => void) | undefined
    const handle = setTimeout(
      () => {
        if (ms > maxTimerMs) cancelRest = systemClock.timer(ms - maxTimerMs, run)
        else run()
      },
      Math.min(Math.max(ms, 0), maxTimerMs),
    )
    // In browsers the handle is a number.
    if (typeof handle === 'object') handle.unref()
    return () => {
      clearTimeout(handle)
      cancelRest?.()
    }
  },
}

/** For measuring how long something takes within this process: setting the machine's time does not change it. */
export function elapsed(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now()
}

/** A recorded wait, by the machine's time: when it began, and when it ends. */
export interface Wait {
  readonly since: number
  readonly until: number
}

/**
 * True when the time has come. Also true when more than twice the wait is left, because the clock was set back by more
 * than that since: a wait of days outlives an hour's correction, and one of a second does not become an hour.
 */
export function isOver({ since, until }: Wait, now: number): boolean {
  return until <= now || until - now > 2 * (until - since)
}

/** When a recorded wait ends: at its time, or now when `isOver` says so though that time lies ahead. */
export function endOf(wait: Wait, now: number): number {
  return isOver(wait, now) ? Math.min(wait.until, now) : wait.until
}

/** Resolves after `ms`, or at once (without an error) when the signal aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.timer(ms, done)
    signal?.addEventListener('abort', done, { once: true })
  })
}

/** Yields to the event loop once, so that long work does not block other tasks. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
