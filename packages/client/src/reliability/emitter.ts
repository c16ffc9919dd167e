/** Listeners by name. */
export function emitter<Events>() {
  const listeners = new Set<{ name: keyof Events; tell: (value: never) => void }>()
  const on = <Name extends keyof Events>(name: Name, tell: (value: Events[Name]) => void): (() => void) => {
    const entry = { name, tell }
    listeners.add(entry)
    return () => {
      listeners.delete(entry)
    }
  }
  /** Calls all listeners of that name; the value is made only if there are any. */
  const emit = <Name extends keyof Events>(name: Name, value: () => Events[Name]): void => {
    for (const entry of listeners) if (entry.name === name) guarded(() => entry.tell(value() as never))
  }
  return { on, emit }
}

/** A function that runs `run` once for all of its calls in one tick. */
export function coalesced(run: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      run()
    })
  }
}

/** Runs a listener: its errors become the platform's unhandled errors, and break nothing of ours. */
export function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
