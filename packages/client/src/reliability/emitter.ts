export interface Emitter<Events> {
  readonly on: <Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void) => () => void
  /** Tells all listeners of that name; the value is made only if there are any. */
  readonly emit: <Name extends keyof Events>(name: Name, value: () => Events[Name]) => void
}

export function emitter<Events>(): Emitter<Events> {
  const listeners = new Set<{ name: keyof Events; tell: (value: never) => void }>()
  return {
    on(name, tell) {
      const entry = { name, tell }
      listeners.add(entry)
      return () => {
        listeners.delete(entry)
      }
    },
    emit(name, value) {
      for (const entry of listeners) {
        if (entry.name === name) guarded(() => entry.tell(value() as never))
      }
    },
  }
}

/** A function that runs `run` once for all calls of it that come in one piece. */
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

/** Runs what others have written: its errors become the platform's unhandled errors, and break nothing of ours. */
export function guarded(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
