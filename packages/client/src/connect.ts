import type { Posted } from '@cool-ai/beach-core/ports'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { actionPart } from './action.ts'
import { asAgentError, cancelled, type AgentError } from './agent-error.ts'
import { commandsOf } from './commands.ts'
import { keepConnected, type Connection } from './connection.ts'
import type { Conversation, ConversationEvents, ConnectOptions } from './conversation.ts'
import { emitter, guarded } from './emitter.ts'
import { fallingBack } from './falling-back.ts'
import type { Carrier } from './carrier.ts'
import { Outbox } from './outbox.ts'
import { pausesOf } from './pauses.ts'
import { platformOf, type Platform } from './platform.ts'
import { requestsTo, sessionPath, type Requests } from './requests.ts'
import { snapshots } from './snapshots.ts'
import { sseCarrier } from './sse-carrier.ts'
import { webSocketCarrier } from './websocket-carrier.ts'

/** Follows a session from now on, and takes what its user says. It connects by itself, again and again, until it is closed. */
export function connect(options: ConnectOptions): Conversation {
  const platform = platformOf(options)
  const { clock } = platform
  const session = sessionPath(options.sessionId)
  const requests = requestsTo(options, clock)
  const pauses = pausesOf(platform)
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
  const outbox = new Outbox({
    post: ({ parts, key }, signal) => post('messages', { parts }, key, signal) as Promise<Posted>,
    pauses,
    onChange() {
      emit('pending', () => outbox.pending)
      changed()
    },
  })
  const snapshot = snapshots(stream, () => ({ connection, pending: outbox.pending }))
  let changing = false
  const changed = () => {
    if (changing) return
    changing = true
    // What comes in one piece is told as one change.
    queueMicrotask(() => {
      changing = false
      emit('change', snapshot)
    })
  }

  stream.on('part', ({ metadata }) => outbox.arrived(stream.lastCursor, metadata.clientId))
  stream.on('change', () => {
    outbox.arrived(stream.lastCursor)
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
    outbox.close(error)
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
      return outbox.pending
    },
    get snapshot() {
      return snapshot()
    },
    on,
    send(message) {
      const key = platform.key()
      const parts = typeof message === 'string' ? [{ text: message }] : message
      const keyed = parts.map((part) => ({ ...part, metadata: { ...part.metadata, clientId: key } }))
      return outbox.send({ key, parts: keyed })
    },
    act(action, dataModel) {
      const { key, part } = actionPart(action, dataModel)
      return outbox.send({ key, parts: [part], silent: true })
    },
    tell: (parts) => outbox.send({ key: platform.key(), parts, silent: true }),
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
