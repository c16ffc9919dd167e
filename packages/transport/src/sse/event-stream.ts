import { BeachError, isBeachError, type Clock, type Frame } from '@cool-ai/beach-core'
import { encodeFrame, heartbeat, opening } from './encode.ts'

export interface EventStreamOptions {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** Called once, when the stream is over, however it ended. */
  readonly onEnd: () => void
}

const encoder = new TextEncoder()
const mostAtOnce = 64 * 1_024

/**
 * Frames as a byte stream of server-sent events; those that are ready together leave together. It pulls: a reader that
 * stalls leaves its frames in the session's bounded queue, and when that is full the stream ends and the reader may come
 * back with its last event id.
 */
export function eventStream(frames: AsyncIterator<Frame>, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const stream = new FrameStream(frames, options)
  return new ReadableStream<Uint8Array>(stream, { highWaterMark: 2 })
}

class FrameStream {
  readonly #frames: AsyncIterator<Frame>
  readonly #options: EventStreamOptions
  #waiting = false
  #ready = ''
  #ended = false
  #stalled = 0
  #cancelHeartbeat = () => {}

  constructor(frames: AsyncIterator<Frame>, options: EventStreamOptions) {
    this.#frames = frames
    this.#options = options
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(encoder.encode(opening))
    this.#beat(controller)
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (!this.#waiting) this.#take(controller)
  }

  cancel(): void {
    this.#end()
  }

  /** Takes frames for as long as the reader keeps up; a full stream goes on with the next `pull`. */
  #take(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#waiting = true
    this.#frames.next().then(
      ({ done, value }) => {
        this.#waiting = false
        if (this.#ended) return
        if (done === true) return this.#close(controller)
        // All that is ready now comes before the next tick, and is sent in one piece then.
        if (this.#ready === '') process.nextTick(() => this.#send(controller))
        this.#ready += encodeFrame(value)
        if (this.#ready.length < mostAtOnce && wants(controller)) this.#take(controller)
      },
      (error: unknown) => {
        if (this.#ended) return
        if (isBeachError(error, 'SLOW_READER')) return this.#close(controller)
        this.#end()
        controller.error(error)
      },
    )
  }

  #send(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const text = this.#ready
    this.#ready = ''
    if (!this.#ended && text !== '') controller.enqueue(encoder.encode(text))
  }

  #beat(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#cancelHeartbeat = this.#options.clock.timer(this.#options.heartbeatMs, () => {
      if (wants(controller)) {
        this.#stalled = 0
        controller.enqueue(encoder.encode(heartbeat))
      } else if (++this.#stalled >= 2) {
        // Nothing was taken for two heartbeats: whoever is there can come back with the last event id.
        this.#end()
        return controller.error(new BeachError('SLOW_READER', 'This reader did not keep up.'))
      }
      this.#beat(controller)
    })
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#send(controller)
    this.#end()
    controller.close()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#cancelHeartbeat()
    this.#options.onEnd()
    // Without this a follower that nobody reads any more would stand at its last frame for ever.
    this.#frames.return?.().catch(() => {})
  }
}

function wants(controller: ReadableStreamDefaultController<Uint8Array>): boolean {
  return (controller.desiredSize ?? 0) > 0
}
