import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { BeachError, type Authenticator, type Channel, type PartTypeRegistry, type Runtime } from '@cool-ai/beach-core'
import { WebSocketServer } from 'ws'
import { bodyLimits, type BodyLimits } from '../http/json-body.ts'
import { Heartbeats } from '../live/heartbeats.ts'
import { SessionCalls } from '../live/session-calls.ts'
import { StreamCount } from '../live/stream-count.ts'
import { SharedLinks, type ArtifactLink } from '../sse/with-links.ts'
import { goingAway } from './close.ts'
import { subprotocol } from './credentials.ts'
import { refuseUpgrade } from './refuse-upgrade.ts'
import { SocketConnection, type SocketWorld } from './socket-connection.ts'

export { refuseUpgrade }

export interface WebSocketChannelOptions {
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly authenticate: Authenticator
  /** A link to an artifact of a session, for those who may see that session. */
  readonly artifactLink?: ArtifactLink
  readonly body?: BodyLimits
  readonly heartbeatMs?: number
  /** Counts the streams that principals have open; give the same to channels that are to count together. */
  readonly streams?: StreamCount
}

/** A channel that takes connections which a server was asked to upgrade. */
export interface WebSocketChannel extends Channel {
  /**
   * Takes over a connection for which `node:http` has emitted `upgrade`. `request` is the same for those who look at
   * Web-standard requests; whether its host and origin may be here is for the caller to check.
   */
  upgrade(request: Request, incoming: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** Connections of which nobody knows yet whose they are. */
const mostUnknown = 1_000
const lastWordsMs = 1_000

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
    perMessageDeflate: false,
    // A caller that does not read would have us pile up answers to its pings.
    autoPong: false,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
  })
  let world: SocketWorld | undefined
  let unknown = 0

  /** The session that is asked for, if it may be asked for now. */
  const admit = (request: Request) => {
    if (world === undefined) throw new BeachError('STORE_UNAVAILABLE', 'The agent is shutting down. Connect again.')
    const session = sessionOf(request)
    if (session === undefined) {
      throw new BeachError('NOT_FOUND', `There is no WebSocket at ${new URL(request.url).pathname}.`)
    }
    if (unknown >= mostUnknown) throw new BeachError('TOO_MANY', 'Too many connections wait to be let in. Try again.')
    return { session, world }
  }

  return {
    transport: 'websocket',
    deliveryClass: 'streaming',
    paths: ['/sessions/:id/ws'],
    async start(sessions, signal) {
      world = {
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
          world = undefined
          for (const connection of connections) connection.close(goingAway)
          // Whoever does not answer is not waited for any longer.
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
      let admitted: ReturnType<typeof admit>
      try {
        admitted = admit(request)
      } catch (error) {
        void refuseUpgrade(socket, error, logger)
        return
      }
      server.handleUpgrade(incoming, socket, head, (webSocket) => {
        unknown++
        let isUnknown = true
        const onKnown = () => {
          if (isUnknown) unknown--
          isUnknown = false
        }
        const connection = new SocketConnection(webSocket, request, admitted.session, admitted.world, onKnown)
        connections.add(connection)
        webSocket.once('close', () => connections.delete(connection))
        void connection.open()
      })
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
