import { isBeachError, type Clock } from '@cool-ai/beach-core'

export interface SseBodyOptions {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** What is sent as the last event when the source fails. */
  readonly onError: (error: unknown) => string
  /** Called once, when the stream is over, however it ended. */
  readonly onEnd: () => void
}

const encoder = new TextEncoder()
const heartbeat = encoder.encode(':\n\n')

/** Texts as server-sent events. It pulls: a reader that takes nothing for two heartbeats is let go. */
export function sseBody(events: AsyncIterator<string>, options: SseBodyOptions): ReadableStream<Uint8Array> {
  let ended = false
  let stalled = 0
  let cancelTimer = () => {}
  const end = () => {
    if (ended) return
    ended = true
    cancelTimer()
    options.onEnd()
    events.return?.().catch(() => {})
  }
  const beat = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    cancelTimer = options.clock.timer(options.heartbeatMs, () => {
      if (ended) return
      if ((controller.desiredSize ?? 0) > 0) {
        stalled = 0
        controller.enqueue(heartbeat)
      } else if (++stalled >= 2) {
        end()
        return controller.error(new Error('This reader did not keep up.'))
      }
      beat(controller)
    })
  }
  const event = (data: string) => encoder.encode(`data: ${data}\n\n`)
  return new ReadableStream<Uint8Array>(
    {
      start: beat,
      async pull(controller) {
        try {
          const { done, value } = await events.next()
          if (ended) return
          if (done !== true) return controller.enqueue(event(value))
        } catch (error) {
          if (ended) return
          // Whoever did not keep up can subscribe again.
          if (!isBeachError(error, 'SLOW_READER')) controller.enqueue(event(options.onError(error)))
        }
        end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 4 },
  )
}
