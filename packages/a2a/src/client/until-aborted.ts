import type { Clock } from '@cool-ai/beach-core'
import { rejectedBy } from '@cool-ai/beach-core/runtime'

/**
 * The items, until the signal aborts: then it throws the signal's reason, even if the source is deaf to it. Ends without
 * an error when nothing has come for `quietMs`.
 */
export async function* untilAborted<Item>(
  source: AsyncGenerator<Item>,
  { signal, clock, quietMs }: { signal: AbortSignal; clock: Clock; quietMs: () => number | undefined },
): AsyncGenerator<Item> {
  const aborted = rejectedBy(signal)
  aborted.catch(() => {})
  try {
    for (;;) {
      const next = await orTimeout(Promise.race([source.next(), aborted]), clock, quietMs())
      if (next === undefined || next.done === true) return
      yield next.value
    }
  } finally {
    // Not awaited: a source that hangs would never let go.
    source.return(undefined).catch(() => {})
  }
}

/** The value, or undefined when it does not come in time. */
async function orTimeout<Value>(
  value: Promise<Value>,
  clock: Clock,
  ms: number | undefined,
): Promise<Value | undefined> {
  if (ms === undefined) return value
  const { promise: quiet, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.timer(ms, () => resolve(undefined))
  try {
    return await Promise.race([value, quiet])
  } finally {
    cancel()
  }
}
