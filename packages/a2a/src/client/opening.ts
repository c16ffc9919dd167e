import type { StreamResponse } from '@a2a-js/sdk'

/** A message on its way, until the peer has named its task. */
export interface Opening {
  /** The task's id; undefined when the peer makes none. */
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
