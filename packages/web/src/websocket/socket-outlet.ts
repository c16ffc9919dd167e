import type { Outlet, OutletEvents } from '@cool-ai/beach-channel/live'
import { closeOf, interrupted, type Close } from '@cool-ai/beach-channel/websocket'
import type { BeachError } from '@cool-ai/beach-core'
import type { WebSocket } from 'ws'

/** As much as waits for a reader before it counts as full. */
const roomInBytes = 64 * 1_024

/** A stream's way out through a WebSocket. */
export class SocketOutlet implements Outlet {
  readonly #socket: WebSocket
  readonly #stream: OutletEvents
  readonly #end: (how: Close) => void

  constructor(socket: WebSocket, stream: OutletEvents, end: (how: Close) => void) {
    this.#socket = socket
    this.#stream = stream
    this.#end = end
  }

  write(bytes: Uint8Array): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false
    if (this.#socket.bufferedAmount + bytes.byteLength < roomInBytes) {
      this.#socket.send(bytes, { binary: false })
      return true
    }
    this.#socket.send(bytes, { binary: false }, (error) => {
      if (!error) this.#stream.drained()
    })
    return false
  }

  close(): void {
    this.#end(interrupted)
  }

  drop(reason: BeachError): void {
    this.#end(closeOf(reason))
  }
}
