import { SseEvents, type SseOptions, type SseOutlet } from './sse-events.ts'

const encoder = new TextEncoder()

/** Texts as server-sent events of a Web stream, which pulls them. */
export function sseBody(source: AsyncIterator<string>, options: SseOptions): ReadableStream<Uint8Array> {
  let events: SseEvents | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        events = new SseEvents(source, outletOf(controller), options)
      },
      pull: () => events?.next(),
      cancel: () => events?.end(),
    },
    { highWaterMark: 4 },
  )
}

function outletOf(controller: ReadableStreamDefaultController<Uint8Array>): SseOutlet {
  return {
    hasRoom: () => (controller.desiredSize ?? 0) > 0,
    write: (text) => controller.enqueue(encoder.encode(text)),
    close: () => controller.close(),
    drop: () => controller.error(new Error('This reader did not keep up.')),
  }
}
