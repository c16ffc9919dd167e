import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Outlet, OutletEvents } from './stream-writer.ts'

/** A stream's way out through a response of `node:http`; the headers go with what is written first. */
export class NodeOutlet implements Outlet {
  readonly #response: ServerResponse
  #isFirst = true

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders, stream: OutletEvents) {
    this.#response = response
    // A response that is destroyed may have said so before.
    if (response.destroyed) {
      stream.gone()
      return
    }
    response.once('close', () => stream.gone())
    response.on('drain', () => stream.drained())
    // A connection that breaks is closed too, without a listener.
    response.on('error', () => {})
    response.writeHead(200, headers)
  }

  write(bytes: Uint8Array): boolean {
    const { destroyed, writableEnded, socket } = this.#response
    if (destroyed || writableEnded) return false
    if (!this.#isFirst) return this.#response.write(bytes)
    this.#isFirst = false
    // Node keeps what is written until all that can be done now is done, which for a new task is the turn's beginning.
    socket?.cork()
    const hasRoom = this.#response.write(bytes)
    socket?.uncork()
    return hasRoom
  }

  close(): void {
    if (!this.#response.destroyed) this.#response.end()
  }

  drop(): void {
    this.#response.destroy()
  }
}
