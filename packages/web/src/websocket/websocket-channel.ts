import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { started, type AgentContext, type UpgradableChannel } from '@cool-ai/beach-channel'
import { bodyLimits, foreignOrigin, remoteNetwork, type BodyLimits } from '@cool-ai/beach-channel/http'
import { Heartbeats, SessionCalls, SharedLinks } from '@cool-ai/beach-channel/live'
import {
  callerOf,
  goingAway,
  refuseUpgrade,
  subprotocol,
  UnidentifiedConnections,
} from '@cool-ai/beach-channel/websocket'
import { BeachError } from '@cool-ai/beach-core'
import { pathOnly } from '../path-only.ts'
import type { ConnectionRequest, SocketConnection, SocketContext } from './socket-connection.ts'

const lastWordsMs = 1_000
/** In how many pieces a message may come: more is never needed, and each costs far more than the bytes in it. */
const piecesOf = ({ bytes }: BodyLimits) => ({
  maxFragments: Math.max(64, Math.ceil(bytes / 4_096)),
  maxBufferedChunks: Math.max(1_024, Math.ceil(bytes / 256)),
})

/** Sessions by WebSocket: the same frames as by server-sent events, and requests on the way back. */
export function webSocketChannel(): UpgradableChannel {
  let server: SocketServer | undefined
  return {
    transport: 'websocket',
    deliveryClass: 'streaming',
    routes: [{ method: 'GET', path: '/sessions/:id/ws', answer: async () => Promise.reject(upgradeRequired()) }],
    openapi: async () => (await import('../openapi/web-openapi.ts')).webOpenApi('webSocket'),
    async start(context: AgentContext) {
      server = new SocketServer(context)
    },
    upgrade: (...asked) => started(server).upgrade(...asked),
  }
}

class SocketServer {
  readonly #context: AgentContext
  readonly #shared: SocketContext
  #accepting: ReturnType<typeof acceptor> | undefined
  readonly #connections = new Set<SocketConnection>()
  readonly #unknown = new UnidentifiedConnections()

  constructor(context: AgentContext) {
    const { runtime, sessions, authenticate, streams, localLink, signal, heartbeatMs = 15_000 } = context
    const limits = context.body ?? bodyLimits
    const links = localLink && new SharedLinks(pathOnly(localLink))
    this.#context = context
    this.#shared = {
      runtime,
      sessions,
      calls: new SessionCalls(sessions, context.partTypes),
      authenticate,
      limits,
      streams,
      heartbeats: new Heartbeats(runtime.clock, heartbeatMs),
      heartbeatMs,
      prepare:
        links &&
        (({ session, principal }) =>
          (frames) =>
            links.add(frames, session, principal)),
    }
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const session = sessionOf(request)
    if (session === undefined) return false
    const onError = () => {}
    socket.on('error', onError)
    this.#accept(session, request, incoming, socket, head).then(
      () => socket.off('error', onError),
      (error: unknown) => refuseUpgrade(socket, error, this.#context.runtime),
    )
    return true
  }

  /** Authenticated requests need not wait with the others. */
  async #accept(session: string, request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer) {
    this.#checkRunning()
    const { authenticate, publicUrl, origins } = this.#context
    foreignOrigin(request, { origins, publicUrl })
    const caller = callerOf(request, authenticate, { origins, publicUrl })
    const isKnown = await caller.then(
      (principal) => principal !== undefined,
      () => false,
    )
    const { server, Connection } = await (this.#accepting ??= acceptor(this.#shared.limits))
    if (socket.destroyed) return
    // The agent may have been shut down meanwhile.
    this.#checkRunning()
    const asked: ConnectionRequest = { request, session, caller }
    const onKnown = isKnown ? () => {} : this.#unknown.enter(remoteNetwork(request))
    socket.once('close', onKnown)
    server.handleUpgrade(incoming, socket, head, (webSocket) => {
      const connection = new Connection(webSocket, socket, asked, this.#shared, onKnown)
      this.#connections.add(connection)
      webSocket.once('close', () => this.#connections.delete(connection))
      void connection.open()
    })
  }

  #checkRunning(): void {
    if (!this.#context.signal.aborted) return
    throw new BeachError('STORE_UNAVAILABLE', 'The agent is shutting down. Connect again.')
  }

  #end(): void {
    for (const connection of this.#connections) connection.close(goingAway)
    // Silent servers are not waited for any longer.
    this.#context.runtime.clock.timer(lastWordsMs, () =>
      this.#connections.forEach((connection) => connection.terminate()),
    )
  }
}

/** The code that takes connections, loaded by the first of them. */
async function acceptor(limits: BodyLimits) {
  const [{ WebSocketServer }, { SocketConnection: Connection }] = await Promise.all([
    import('ws'),
    import('./socket-connection.ts'),
  ])
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.bytes,
    ...piecesOf(limits),
    perMessageDeflate: false,
    // A caller that does not read would make answers to its pings pile up here.
    autoPong: false,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
  })
  return { server, Connection }
}

function upgradeRequired(): BeachError {
  return new BeachError('UPGRADE_REQUIRED', 'This is a WebSocket: connect to it as one, or use `/events` instead.')
}

function sessionOf({ url }: Request): string | undefined {
  const session = /^\/sessions\/([^/]+)\/ws$/.exec(new URL(url).pathname)?.[1]
  try {
    return session && decodeURIComponent(session)
  } catch {
    return undefined
  }
}
