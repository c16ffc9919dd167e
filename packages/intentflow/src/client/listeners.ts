/** Runs what others have written: its errors become the platform's unhandled errors, and break nothing of ours. */
function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Listeners, which are all told. */
export interface Listeners<Value> {
  readonly add: (listener: (value: Value) => void) => () => void
  readonly tell: (value: Value) => void
}

export function listeners<Value>(): Listeners<Value> {
  const all = new Set<{ readonly tell: (value: Value) => void }>()
  return {
    add(tell) {
      // Wrapped, so that the same function given twice is told twice and removed once.
      const entry = { tell }
      all.add(entry)
      return () => {
        all.delete(entry)
      }
    },
    tell(value) {
      for (const entry of all) guarded(() => entry.tell(value))
    },
  }
}
