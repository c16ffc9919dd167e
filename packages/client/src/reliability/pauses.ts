import type { AgentError } from './agent-error.ts'
import { pauseAfter } from './backoff.ts'
import type { Platform } from './platform.ts'

/** Pauses between tries, which all end early when there is reason to think that the next try will do. */
export interface Pauses {
  /** A pause after so many failures, the last of which was `error`. */
  readonly after: (failures: number, error: AgentError, firstMs?: number) => Pause
  /** Ends all pauses, but for those that the agent has asked for. */
  readonly wake: () => void
}

export interface Pause {
  readonly until: number
  /** Resolves when the pause is over, or the signal aborts. */
  readonly over: (signal: AbortSignal) => Promise<void>
}

export function pausesOf({ clock, random }: Platform): Pauses {
  const wakers = new Set<() => void>()
  return {
    after(failures, error, firstMs) {
      const ms = pauseAfter(failures, random(), error.retryAfterMs, firstMs)
      return {
        until: clock.now() + ms,
        over: (signal) =>
          new Promise((resolve) => {
            const end = () => {
              cancel()
              wakers.delete(end)
              signal.removeEventListener('abort', end)
              resolve()
            }
            const cancel = clock.timer(ms, end)
            if (error.retryAfterMs === undefined) wakers.add(end)
            signal.addEventListener('abort', end)
            if (signal.aborted) end()
          }),
      }
    },
    wake() {
      for (const end of wakers) end()
    },
  }
}
