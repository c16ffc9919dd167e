/** Rejects with the signal's reason when it aborts, and never resolves: for races with work that may ignore the signal. */
export function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

/** What comes of some work, or the signal's reason when it aborts first: the work may ignore the signal. */
export function raceAbort<Value>(work: Value | PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return raceStop(work, (reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    return () => signal.removeEventListener('abort', stop)
  })
}

/** The same for whatever else may stop it: `listen` is told how to, and returns how to stop listening. */
export function raceStop<Value>(
  work: Value | PromiseLike<Value>,
  listen: (stop: (reason: unknown) => void) => () => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const letGo = listen(reject)
    Promise.resolve(work).then(
      (value) => {
        letGo()
        resolve(value)
      },
      (error: Error) => {
        letGo()
        reject(error)
      },
    )
  })
}
