import { BeachError } from '@cool-ai/beach-core'
import type { Deadline } from './deadline.ts'
import { unreachable } from './failures.ts'

export interface BodyGuard {
  readonly host: string
  readonly bytes: number
  readonly deadline: Deadline
}

/** A body that fails when it becomes too large or stays silent too long; nothing is read before the consumer asks for it. */
export function limitedBody(body: ReadableStream<Uint8Array>, guard: BodyGuard): ReadableStream<Uint8Array> {
  const { host, bytes, deadline } = guard
  const reader = body.getReader()
  let size = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const arrived = deadline.waiting()
        try {
          const { done, value } = await reader.read()
          arrived()
          if (done) {
            deadline.done()
            return controller.close()
          }
          size += value.byteLength
          if (size > bytes) throw tooLarge(host, bytes)
          controller.enqueue(value)
        } catch (error) {
          deadline.end(unreachable(host, error))
          controller.error(deadline.signal.reason)
        }
      },
      cancel: (reason) => deadline.end(reason),
    },
    { highWaterMark: 0 },
  )
}

/** An answer that is not read to its end. */
export function tooLarge(host: string, bytes: number): BeachError {
  return new BeachError('TOO_LARGE', `${host} answers with more than the ${bytes} bytes that are read.`)
}
