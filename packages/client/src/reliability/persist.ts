import { asAgentError, type AgentError } from './agent-error.ts'
import type { Pause, Backoff } from './pauses.ts'

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
      // What has just got through may be the first sign of a network that is back.
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
