/** Time as the program sees it. Nothing else calls `Date.now` or `setTimeout`. */
export interface Clock {
  now(): number
  /**
   * Calls `run` once after `ms`; the returned function cancels it. A timer does not keep the process alive, unless a
   * caller waits for what comes after it.
   */
  timer(ms: number, run: () => void, options?: { readonly keepsAlive?: boolean }): () => void
}

// Node fires timers beyond this at once; waiting in pieces keeps a far deadline far.
const longestTimer = 2_147_483_647

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  timer(ms, run, options = {}) {
    let cancelRest = () => {}
    const handle = setTimeout(
      () => {
        if (ms > longestTimer) cancelRest = systemClock.timer(ms - longestTimer, run, options)
        else run()
      },
      Math.min(Math.max(ms, 0), longestTimer),
    )
    // In browsers the handle is a number.
    if (typeof handle === 'object' && options.keepsAlive !== true) handle.unref()
    return () => {
      clearTimeout(handle)
      cancelRest()
    }
  },
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
