import type { BeachError } from '@cool-ai/beach-core'
import type { Outlet, OutletEvents } from './stream-writer.ts'

/** As much as waits for a reader before it counts as full. */
const roomInBytes = 64 * 1_024

/** A stream's way out through a Web stream, for hosts that have no other. */
export class WebOutlet implements Outlet {
  readonly body: ReadableStream<Uint8Array>
  readonly #stream: OutletEvents
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(stream: OutletEvents, signal: AbortSignal) {
    this.#stream = stream
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => stream.drained(),
        cancel: () => this.#gone(),
      },
      { highWaterMark: roomInBytes, size: ({ byteLength }) => byteLength },
    )
    // A server may notice that its client has gone before it has begun to read, and would then never cancel.
    signal.addEventListener('abort', () => this.close(), { once: true })
    if (signal.aborted) this.close()
  }

  write(bytes: Uint8Array): boolean {
    this.#controller?.enqueue(bytes)
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  close(): void {
    this.#controller?.close()
    this.#gone()
  }

  drop(reason: BeachError): void {
    this.#controller?.error(reason)
    this.#gone()
  }

  #gone(): void {
    this.#controller = undefined
    this.#stream.gone()
  }
}
