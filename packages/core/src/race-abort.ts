/** Rejects with the signal's reason when it aborts, and never resolves: for races with work that may ignore the signal. */
export function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

/** The result of some work, or the signal's reason when it aborts first: the work may ignore the signal. */
export function raceAbort<Value>(work: Value | PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    const letGo = () => signal.removeEventListener('abort', stop)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    Promise.resolve(work).finally(letGo).then(resolve, reject)
  })
}
