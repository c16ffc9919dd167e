import type { BeachError } from '@cool-ai/beach-core'
import type { WebSocket } from 'ws'
import type { FrameStream, Outlet } from '../live/frame-stream.ts'
import { closeOf, interrupted, type Close } from './close.ts'

/** As much as waits for a reader before it counts as full. */
const roomInBytes = 64 * 1_024

/** A stream's way out through a WebSocket. */
export class SocketOutlet implements Outlet {
  readonly #socket: WebSocket
  readonly #stream: FrameStream

  constructor(socket: WebSocket, stream: FrameStream) {
    this.#socket = socket
    this.#stream = stream
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

  /** A second time it is not asked any more. */
  #end({ code, reason }: Close): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.close(code, reason)
    else this.#socket.terminate()
  }
}
