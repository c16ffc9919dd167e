import { isUint8Array } from 'node:util/types'
import { BeachError } from '@cool-ai/beach-core'
import type { ArtifactContent } from '@cool-ai/beach-core/ports'

const pieceBytes = 256 * 1024

/**
 * The content in pieces of bounded size that no other code holds: what is hashed is what is written, even if the source
 * reuses its memory. A source of content that is too large, or no longer wanted, is cancelled.
 */
export async function* pieces(
  content: ArtifactContent,
  maxBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  for await (const chunk of isUint8Array(content) ? [content] : chunks(content, signal)) {
    if (!isUint8Array(chunk)) throw new BeachError('BAD_REQUEST', 'The content of an artifact comes as Uint8Arrays.')
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw new BeachError('TOO_LARGE', `An artifact may have at most ${maxBytes} bytes.`)
    for (let start = 0; start < chunk.byteLength; start += pieceBytes) {
      signal?.throwIfAborted()
      yield Buffer.from(chunk.subarray(start, start + pieceBytes))
    }
  }
}

interface Source {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  stop(): Promise<unknown>
}

/** The chunks of the source, until it ends or the signal aborts, even if the source itself never answers. */
async function* chunks(content: Exclude<ArtifactContent, Uint8Array>, signal?: AbortSignal): AsyncGenerator {
  const source = sourceOf(content)
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  // It may reject while no race is waiting for it.
  aborted.catch(() => {})
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    signal?.throwIfAborted()
    for (;;) {
      const { done, value } = await Promise.race([source.next(), aborted])
      if (done === true) return
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    // Not awaited: a source that hangs would hang us too.
    source.stop().catch(() => {})
  }
}

function sourceOf(content: Exclude<ArtifactContent, Uint8Array>): Source {
  if (content instanceof ReadableStream) {
    // Its own iterator would wait for the pending read before it cancels.
    const reader = content.getReader()
    return { next: () => reader.read(), stop: () => reader.cancel() }
  }
  const iterator = content[Symbol.asyncIterator]()
  return { next: () => iterator.next(), stop: async () => iterator.return?.() }
}
