import { type AgentError, asAgentError } from './agent-error.ts'
import type { Platform } from './platform.ts'

/** Pauses between tries, which all end early when the next try is likely to succeed. */
export interface Backoff {
  /** A pause after so many failures, the last of which was `error`. */
  readonly after: (failures: number, error: AgentError, firstMs?: number) => Pause
  /** Ends all pauses, except those that the agent has asked for. */
  readonly wake: () => void
}

interface Pause {
  readonly until: number
  /** Resolves when the pause is over, or the signal aborts. */
  readonly over: (signal: AbortSignal) => Promise<void>
}

/** How long the first pause is at most, unless the server says otherwise. */
const firstMs = 500

/** No pause is longer, but for a server that asks for more. */
const maxMs = 30_000

/** The longest pause that a server may ask for. */
const maxRequestedMs = 300_000

/**
 * The pause before the next try: anything up to a time that doubles with every failure, so that many clients that were
 * cut off together do not come back together. What the agent asks for comes on top.
 *
 * @param failures how many tries in a row had failed before the last one
 * @param random a number in [0, 1)
 * @param askedMs how long the agent wants to be left alone
 * @param most the longest first pause
 */
export function backoffDelay(failures: number, random: number, askedMs = 0, max: number = firstMs): number {
  return Math.min(askedMs, maxRequestedMs) + random * Math.min(Math.max(max, 1) * 2 ** failures, maxMs)
}

/** The pauses between attempts, longer each time, with chance. */
export function backoffOf({ clock, random }: Platform): Backoff {
  const wakers = new Set<() => void>()
  return {
    after(failures, error, max) {
      const ms = backoffDelay(failures, random(), error.retryAfterMs, max)
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

export interface PersistOptions {
  readonly pauses: Backoff
  /** Ends it with the signal's reason. */
  readonly signal: AbortSignal
  /** Called before each pause; false ends it with the error. */
  readonly onPause?: ((pause: Pause, error: AgentError) => boolean | void) | undefined
}

/** Tries until there is an answer that stays; only a refusal ends it otherwise. */
export async function persist<Value>(attempt: () => Promise<Value>, options: PersistOptions): Promise<Value> {
  const { pauses, signal, onPause } = options
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted()
    try {
      const value = await attempt()
      // A success may be the first sign of a network that is back.
      if (failures > 0) pauses.wake()
      return value
    } catch (cause) {
      const error = asAgentError(cause)
      if (signal.aborted || !error.retryable) throw error
      const pause = pauses.after(failures, error)
      if (onPause?.(pause, error) === false) throw error
      await pause.over(signal)
    }
  }
}
