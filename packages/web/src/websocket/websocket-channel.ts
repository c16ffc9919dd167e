import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { bodyLimits, remoteNetwork, type BodyLimits } from '@cool-ai/beach-channel/http'
import { Heartbeats, SessionCalls, SharedLinks, StreamCount, type ArtifactLink } from '@cool-ai/beach-channel/live'
import {
  callerOf,
  goingAway,
  refuseUpgrade,
  subprotocol,
  UnidentifiedConnections,
} from '@cool-ai/beach-channel/websocket'
import { BeachError, type Authenticator, type Channel, type PartTypeRegistry, type Runtime } from '@cool-ai/beach-core'
import { WebSocketServer } from 'ws'
import { SocketConnection, type ConnectionRequest, type SocketContext } from './socket-connection.ts'

export interface WebSocketChannelOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly authenticate: Authenticator
  /** A link to an artifact of a session, for viewers of that session. */
  readonly artifactLink?: ArtifactLink | undefined
  readonly body?: BodyLimits | undefined
  readonly heartbeatMs?: number | undefined
  /** Counts the streams that principals have open; give the same to channels that are to count together. */
  readonly streams?: StreamCount | undefined
  /** Where the agent's page is. */
  readonly publicUrl?: string | undefined
}

/** A channel that takes connections which a server was asked to upgrade. */
export interface WebSocketChannel extends Channel {
  /**
   * Takes over a connection for which `node:http` has emitted `upgrade`. `request` is the same for all readers of
   * Web-standard requests; whether its host and origin may be here is for the caller to check.
   */
  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): void
}

const lastWordsMs = 1_000
/** In how many pieces a message may come: more is never needed, and each costs far more than the bytes in it. */
const piecesOf = ({ bytes }: BodyLimits) => ({
  maxFragments: Math.max(64, Math.ceil(bytes / 4_096)),
  maxBufferedChunks: Math.max(1_024, Math.ceil(bytes / 256)),
})

/** Sessions by WebSocket: the same frames as by server-sent events, and requests on the way back. */
export function webSocketChannel(options: WebSocketChannelOptions): WebSocketChannel {
  const { runtime, partTypes, authenticate, artifactLink } = options
  const { clock, logger } = runtime
  const limits = options.body ?? bodyLimits
  const heartbeatMs = options.heartbeatMs ?? 15_000
  const links = artifactLink && new SharedLinks(artifactLink)
  const connections = new Set<SocketConnection>()
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.bytes,
    ...piecesOf(limits),
    perMessageDeflate: false,
    // A caller that does not read would have us pile up answers to its pings.
    autoPong: false,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
  })
  let context: SocketContext | undefined
  const unknown = new UnidentifiedConnections()

  /** The session that is asked for, if it may be asked for now. */
  const admit = (request: Request) => {
    if (context === undefined) throw new BeachError('STORE_UNAVAILABLE', 'The agent is shutting down. Connect again.')
    const session = sessionOf(request)
    if (session === undefined) {
      throw new BeachError('NOT_FOUND', `There is no WebSocket at ${new URL(request.url).pathname}.`)
    }
    return { session, context }
  }

  /** Authenticated requests need not wait with the others. */
  const accept = async (request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { session } = admit(request)
    const caller = callerOf(request, authenticate, options.publicUrl)
    const isKnown = await caller.then(
      (principal) => principal !== undefined,
      () => false,
    )
    if (socket.destroyed) return
    // The agent may have been shut down while that was asked.
    const admitted = admit(request)
    const asked: ConnectionRequest = { request, session, caller }
    const onKnown = isKnown ? () => {} : unknown.enter(remoteNetwork(request))
    socket.once('close', onKnown)
    server.handleUpgrade(incoming, socket, head, (webSocket) => {
      const connection = new SocketConnection(webSocket, socket, asked, admitted.context, onKnown)
      connections.add(connection)
      webSocket.once('close', () => connections.delete(connection))
      void connection.open()
    })
  }

  return {
    transport: 'websocket',
    deliveryClass: 'streaming',
    paths: ['/sessions/:id/ws'],
    async start({ sessions, signal }) {
      context = {
        runtime,
        sessions,
        calls: new SessionCalls(sessions, partTypes),
        authenticate,
        limits,
        streams: options.streams ?? new StreamCount(),
        heartbeats: new Heartbeats(clock, heartbeatMs),
        heartbeatMs,
        ...(links && {
          prepare:
            ({ session, principal }) =>
            (frames) =>
              links.add(frames, session, principal),
        }),
      }
      signal.addEventListener(
        'abort',
        () => {
          context = undefined
          for (const connection of connections) connection.close(goingAway)
          // Silent servers are not waited for any longer.
          clock.timer(lastWordsMs, () => connections.forEach((connection) => connection.terminate()))
        },
        { once: true },
      )
    },
    async fetch({ method }) {
      if (method !== 'GET') throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
      throw new BeachError('UPGRADE_REQUIRED', 'This is a WebSocket: connect to it as one, or use `/events` instead.')
    },
    upgrade(request, incoming, socket, head) {
      const onError = () => {}
      socket.on('error', onError)
      accept(request, incoming, socket, head).then(
        () => socket.off('error', onError),
        (error: unknown) => refuseUpgrade(socket, error, logger),
      )
    },
  }
}

function sessionOf({ url }: Request): string | undefined {
  const session = /^\/sessions\/([^/]+)\/ws$/.exec(new URL(url).pathname)?.[1]
  try {
    return session && decodeURIComponent(session)
  } catch {
    return undefined
  }
}
