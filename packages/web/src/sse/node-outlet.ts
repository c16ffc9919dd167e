import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FrameStream, Outlet } from '@cool-ai/beach-channel/live'

/** A stream's way out through a response of `node:http`. */
export class NodeOutlet implements Outlet {
  readonly #response: ServerResponse

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders, stream: FrameStream) {
    this.#response = response
    response.once('close', () => stream.gone())
    response.on('drain', () => stream.drained())
    // A connection that breaks is closed too, without a listener.
    response.on('error', () => {})
    if (response.destroyed) return
    // The stream lasts as long as its connection, so it needs no marks between what is written.
    response.removeHeader('transfer-encoding')
    response.writeHead(200, headers)
  }

  write(bytes: Uint8Array): boolean {
    const { destroyed, writableEnded } = this.#response
    return !destroyed && !writableEnded && this.#response.write(bytes)
  }

  close(): void {
    if (!this.#response.destroyed) this.#response.end()
  }

  drop(): void {
    this.#response.destroy()
  }
}
