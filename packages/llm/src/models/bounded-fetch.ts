import { EndlessMessage } from './stream-limits.ts'

// What carries a message is many times as long as the message.
const maxAnswerBytes = 64_000_000

type Fetch = typeof globalThis.fetch

/** Fetch for providers: an answer that does not end is broken off before its pieces fill the memory. */
export function boundedFetch(fetch?: Fetch, maxBytes = maxAnswerBytes): Fetch {
  return async (...args) => {
    const response = await (fetch ?? globalThis.fetch)(...args)
    const { body, status, statusText, headers } = response
    return body === null ? response : new Response(body.pipeThrough(counted(maxBytes)), { status, statusText, headers })
  }
}

function counted(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= maxBytes) controller.enqueue(chunk)
      else controller.error(new EndlessMessage(`The provider's answer is larger than ${maxBytes} bytes.`))
    },
  })
}
