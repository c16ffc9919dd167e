/** Aborts with one of several signals, or by hand. */
export interface LinkedAbort {
  readonly signal: AbortSignal
  /** Ends it, and removes its listeners from the signals. */
  readonly now: () => void
  /** Removes its listeners from the signals: it is over by itself. */
  readonly release: () => void
}

// A reason of our own avoids creating an error with its stack.
const enough = 'enough'

/** Like `AbortSignal.any`, for the short life of one request: nothing is left behind on the signals. */
export function until(...signals: readonly AbortSignal[]): LinkedAbort {
  const end = new AbortController()
  const release = () => {
    for (const signal of signals) signal.removeEventListener('abort', now)
  }
  const now = () => {
    release()
    end.abort(enough)
  }
  for (const signal of signals) signal.addEventListener('abort', now)
  if (signals.some(({ aborted }) => aborted)) now()
  return { signal: end.signal, now, release }
}
