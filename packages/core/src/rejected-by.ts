/** Rejects with the signal's reason when it aborts, and never resolves: for races with work that may ignore the signal. */
export function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}
