import type { FlowClientError } from './flow-client-error.ts'
import type { Platform } from './platform.ts'

/** How long the first pause is at most. */
const firstMs = 500

/** No pause is longer, but for a server that asks for more. */
const longestMs = 30_000

/** What a server may ask for at most. */
const longestAskedMs = 300_000

/** Pauses between tries, which end early when there is reason to think that the next try will do. */
export interface Pauses {
  /** Waits after so many failures, the last of which was `error`, or until the signal aborts. */
  readonly after: (failures: number, error: FlowClientError, signal: AbortSignal) => Promise<void>
  /** Ends all pauses, but for those that the server has asked for. */
  readonly wake: () => void
}

/**
 * Each pause is anything up to a time that doubles with every failure, so that many clients that were cut off together do
 * not come back together. What the server asks for comes on top.
 */
export function pausesOf({ clock, random }: Platform): Pauses {
  const wakers = new Set<() => void>()
  return {
    after(failures, { retryAfterMs }, signal) {
      const ms = Math.min(retryAfterMs ?? 0, longestAskedMs) + random() * Math.min(firstMs * 2 ** failures, longestMs)
      return new Promise((resolve) => {
        const end = () => {
          cancel()
          wakers.delete(end)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const cancel = clock.timer(ms, end)
        if (retryAfterMs === undefined) wakers.add(end)
        signal.addEventListener('abort', end)
        if (signal.aborted) end()
      })
    },
    wake() {
      for (const end of wakers) end()
    },
  }
}
