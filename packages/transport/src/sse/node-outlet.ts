import type { ServerResponse } from 'node:http'
import type { EventStream, Outlet } from './event-stream.ts'

/** A stream's way out through a response of `node:http`. */
export class NodeOutlet implements Outlet {
  readonly #response: ServerResponse

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, stream: EventStream) {
    this.#response = response
    response.once('close', () => stream.gone())
    response.on('drain', () => stream.drained())
    // A connection that breaks is closed too, and there is nobody left to tell.
    response.on('error', () => {})
    if (!response.destroyed) response.writeHead(200, { ...headers })
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
