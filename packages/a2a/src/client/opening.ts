import type { StreamResponse } from '@a2a-js/sdk'
import type { Clock } from '@cool-ai/beach-core'
import { rejectedBy } from '@cool-ai/beach-core/runtime'

/** A message on its way, until the peer has named its task. */
export interface Opening {
  readonly named: Promise<string | undefined>
  readonly stop: () => void
}

/** The same events, and the task that the first of them is of, also when the caller has gone. */
export function noting(stream: AsyncGenerator<StreamResponse>): {
  readonly events: AsyncGenerator<StreamResponse>
  readonly named: Promise<string | undefined>
} {
  const { promise: named, resolve, reject } = Promise.withResolvers<string | undefined>()
  async function* events(): AsyncGenerator<StreamResponse> {
    try {
      for await (const event of stream) {
        resolve(taskIdIn(event))
        yield event
      }
      resolve(undefined)
    } catch (error) {
      reject(error)
      throw error
    }
  }
  return { events: events(), named }
}

/** The task that an event is of; undefined when it is of none. */
export function taskIdIn({ payload }: StreamResponse): string | undefined {
  const id = payload?.$case === 'task' ? payload.value.id : payload?.value.taskId
  return id === '' ? undefined : id
}

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
