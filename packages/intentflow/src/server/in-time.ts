import type { Clock } from '@cool-ai/beach-core'
import { FlowError } from '../schemas/flow-error.ts'

/** Runs something with a signal that aborts with the given one, or with TIMEOUT when it takes too long. */
export async function inTime<Value>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = new AbortController()
  const cancel = clock.timer(ms, () => late.abort(new FlowError('TIMEOUT')))
  try {
    return await run(AbortSignal.any([signal, late.signal]))
  } finally {
    cancel()
  }
}
