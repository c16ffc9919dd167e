import { isBeachError, type Clock, type Frame } from '@cool-ai/beach-core'
import { encodeFrame, heartbeat, opening } from './encode.ts'

export interface EventStreamOptions {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** Called once, when the stream is over, however it ended. */
  readonly onEnd: () => void
}

/**
 * Frames as a byte stream of server-sent events. It pulls: a reader that stalls leaves its frames in the session's
 * bounded queue, and when that is full the stream ends and the reader may come back with its last event id.
 */
export function eventStream(frames: AsyncIterator<Frame>, options: EventStreamOptions): ReadableStream<Uint8Array> {
  let next: Promise<IteratorResult<Frame>> | undefined
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    options.onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(opening),
      async pull(controller) {
        try {
          next ??= frames.next()
          const result = await orHeartbeat(next, options)
          if (result === 'heartbeat') return controller.enqueue(heartbeat)
          next = undefined
          if (result.done !== true) return controller.enqueue(encodeFrame(result.value))
          end()
          controller.close()
        } catch (error) {
          end()
          if (isBeachError(error, 'SLOW_READER')) controller.close()
          else controller.error(error)
        }
      },
      cancel: end,
    },
    { highWaterMark: 16 },
  )
}

async function orHeartbeat<Value>(value: Promise<Value>, options: EventStreamOptions): Promise<Value | 'heartbeat'> {
  let cancel = () => {}
  const beat = new Promise<'heartbeat'>((resolve) => {
    cancel = options.clock.timer(options.heartbeatMs, () => resolve('heartbeat'))
  })
  try {
    return await Promise.race([value, beat])
  } finally {
    cancel()
  }
}
