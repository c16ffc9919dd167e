import { setTimeout as wait } from 'node:timers/promises'

/** Tries until it succeeds: whatever fails may be the fault that was just injected. Gives up when the run does. */
export async function insist<Value>(attempt: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  for (;;) {
    try {
      signal.throwIfAborted()
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw new Error(`given up; last: ${reasonOf(error)}`, { cause: error })
      await wait(100)
    }
  }
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
