/** Lets the event loop go round once: work that is long lets others through between its pieces. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
