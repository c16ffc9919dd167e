import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { remoteNetwork } from '@cool-ai/beach-channel/http'
import { byToken, callerOf, refuseUpgrade, UnidentifiedConnections } from '@cool-ai/beach-channel/websocket'
import type { Authenticator, Clock, Principal } from '@cool-ai/beach-core'
import { WebSocketServer } from 'ws'
import { SliceSocket, type SliceSocketContext } from './slice-socket.ts'

export interface SliceSocketsOptions extends Omit<SliceSocketContext, 'ns' | 'byToken' | 'enter'> {
  readonly authenticate: Authenticator
  readonly origins?: readonly string[] | undefined
  readonly publicUrl?: string | undefined
  readonly enter: (request: Request, principal: Principal | undefined) => () => void
}

interface Upgrading {
  readonly incoming: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

const lastWordsMs = 1_000

/** The WebSockets to slices: one server for each, whose subprotocol is `<ns>.v1`. */
export class SliceSockets {
  readonly #options: SliceSocketsOptions
  readonly #servers: ReadonlyMap<string, WebSocketServer>
  readonly #sockets = new Set<SliceSocket>()
  readonly #unknown = new UnidentifiedConnections()

  constructor(handledNamespaces: readonly string[], options: SliceSocketsOptions) {
    this.#options = options
    this.#servers = new Map(handledNamespaces.map((ns) => [ns, serverOf(ns, options.limits.bytes)]))
  }

  take(ns: string, request: Request, { incoming, socket, head }: Upgrading): void {
    const { authenticate, origins, publicUrl, enter, runtime } = this.#options
    const onError = () => {}
    socket.on('error', onError)
    try {
      const again = () => callerOf(request, authenticate, { origins, publicUrl })
      const principal = again()
      principal.catch(() => {})
      const onKnown = this.#unknown.enter(remoteNetwork(request))
      socket.once('close', onKnown)
      this.#servers.get(ns)?.handleUpgrade(incoming, socket, head, (webSocket) => {
        socket.off('error', onError)
        const context: SliceSocketContext = {
          ...this.#options,
          ns,
          byToken: (token) => byToken(token, request, authenticate),
          enter: (caller) => enter(request, caller),
        }
        const connection = new SliceSocket(webSocket, socket, context, { principal, again, onKnown })
        this.#sockets.add(connection)
        webSocket.once('close', () => this.#sockets.delete(connection))
      })
    } catch (error) {
      void refuseUpgrade(socket, error, runtime)
    }
  }

  end(clock: Clock): void {
    for (const socket of this.#sockets) socket.end()
    clock.timer(lastWordsMs, () => this.#sockets.forEach((socket) => socket.terminate()))
  }
}

function serverOf(ns: string, maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    maxFragments: 64,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => offered.has(`${ns}.v1`) && `${ns}.v1`,
  })
}
