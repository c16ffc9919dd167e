import type { PostResult } from '@cool-ai/beach-core/ports'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { actionPart } from './action.ts'
import { AgentError, asAgentError, cancelled } from './reliability/agent-error.ts'
import { commandsOf } from './commands.ts'
import { keepConnected, type Connection } from './reliability/connection.ts'
import type { Conversation, ConversationEvents, ConnectOptions } from './conversation.ts'
import { coalesced, emitter, guarded } from './reliability/emitter.ts'
import { fallingBack } from './falling-back.ts'
import type { Carrier } from './reliability/carrier.ts'
import { PendingMessages } from './pending-messages.ts'
import { backoffOf } from './reliability/pauses.ts'
import { platformOf, type Platform } from './reliability/platform.ts'
import { requestsTo, type Requests } from './reliability/requests.ts'
import { snapshots } from './snapshots.ts'
import { sseCarrier } from './sse-carrier.ts'
import { webSocketCarrier } from './websocket-carrier.ts'

/** Follows a session from now on, and takes what its user says. It connects by itself, again and again, until it is closed. */
export function connect(options: ConnectOptions): Conversation {
  const platform = platformOf(options)
  const { clock } = platform
  const session = sessionPath(options.sessionId)
  const requests = requestsTo(options, clock)
  const pauses = backoffOf(platform)
  const stream = new EnvelopeStream()
  const { on, emit } = emitter<ConversationEvents>()
  const end = new AbortController()
  let connection: Connection = { state: 'connecting' }

  const post = (path: string, body: unknown, key?: string, signal: AbortSignal = end.signal) =>
    requests.post(`${session}/${path}`, body, { signal, key })
  const commands = commandsOf({
    post,
    pauses,
    signal: end.signal,
    running: () => stream.turns.findLast((turn) => !turn.settled)?.turnId,
  })
  const messages = new PendingMessages({
    post: ({ parts, key }, signal) => post('messages', { parts }, key, signal) as Promise<PostResult>,
    pauses,
    onChange() {
      emit('pending', () => messages.pending)
      changed()
    },
  })
  const snapshot = snapshots(stream, () => ({ connection, pending: messages.pending }))
  const changed = coalesced(() => emit('change', snapshot))

  stream.on('part', ({ metadata }) => messages.arrived(stream.lastCursor, metadata.clientId))
  stream.on('change', () => {
    messages.arrived(stream.lastCursor)
    changed()
  })

  const tell = (now: Connection) => {
    connection = now
    // What waits has a better chance now.
    if (now.state === 'open') pauses.wake()
    emit('connection', () => now)
    changed()
  }
  const finish = (error: AgentError, told: Connection) => {
    if (end.signal.aborted) return
    end.abort(error)
    messages.close(error)
    stream.close(told.error)
    tell(told)
  }
  keepConnected({
    carrier: carrierOf(options, requests, session, platform),
    platform,
    pauses,
    cursor: () => stream.lastCursor,
    onFrame: (frame) => guarded(() => stream.apply(frame)),
    onConnection: tell,
    signal: end.signal,
  }).then(
    (error) => error && finish(error, { state: 'closed', error }),
    (cause: unknown) => finish(asAgentError(cause), { state: 'closed', error: asAgentError(cause) }),
  )

  return {
    sessionId: options.sessionId,
    stream,
    get connection() {
      return connection
    },
    get pending() {
      return messages.pending
    },
    get snapshot() {
      return snapshot()
    },
    on,
    send(message) {
      const key = platform.key()
      const parts = typeof message === 'string' ? [{ text: message }] : message
      const keyed = parts.map((part) => ({ ...part, metadata: { ...part.metadata, clientId: key } }))
      return messages.add({ key, parts: keyed })
    },
    act(action, dataModel) {
      const { key, part } = actionPart(action, dataModel)
      return messages.add({ key, parts: [part], silent: true })
    },
    tell: (parts) => messages.add({ key: platform.key(), parts, silent: true }),
    ...commands,
    close: () => finish(cancelled('The conversation was closed here.'), { state: 'closed' }),
  }
}

function carrierOf(options: ConnectOptions, requests: Requests, session: string, { clock }: Platform): Carrier {
  const bySse = sseCarrier(requests, session)
  const WebSocket = options.WebSocket ?? globalThis.WebSocket
  if (options.via === 'sse' || typeof WebSocket !== 'function') return bySse
  const byWebSocket = webSocketCarrier(requests, session, { clock, WebSocket })
  return options.via === 'websocket' ? byWebSocket : fallingBack(byWebSocket, bySse)
}

/** The path that belongs to a session. */
function sessionPath(sessionId: string): string {
  if (sessionId === '') throw new AgentError('BAD_REQUEST', 'A session has an id; get one from `openSession()`.')
  return `/sessions/${encodeURIComponent(sessionId)}`
}
