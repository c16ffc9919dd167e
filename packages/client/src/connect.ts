import type { Decision } from '@cool-ai/beach-core'
import type { PostResult, Decided } from '@cool-ai/beach-core/ports'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { actionPart } from './action.ts'
import { AgentError, asAgentError, cancelled } from './reliability/agent-error.ts'
import { keepConnected, type Connection, type Carrier } from './reliability/connection.ts'
import type { Conversation, ConversationEvents, ConnectOptions, SessionLink, Snapshot } from './conversation.ts'
import { coalesced, emitter, guarded } from './reliability/emitter.ts'
import { fallingBack } from './falling-back.ts'
import { PendingMessages } from './pending-messages.ts'
import { backoffOf, persist, type PersistOptions } from './reliability/pauses.ts'
import { platformOf, type Platform } from './reliability/platform.ts'
import { requestsTo, type Requests } from './reliability/requests.ts'
import { sseCarrier } from './sse-carrier.ts'
import { webSocketCarrier } from './websocket-carrier.ts'

/**
 * Follows a session from now on, and sends its user's messages. It connects by itself, again and again, until it is
 * closed.
 */
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
    // Waiting messages have a better chance now.
    if (now.state === 'open') pauses.wake()
    emit('connection', () => now)
    changed()
  }
  const finish = (error: AgentError, last: Connection) => {
    if (end.signal.aborted) return
    end.abort(error)
    messages.close(error)
    stream.close(last.error)
    tell(last)
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
    async ownOf(approvalIds) {
      const headers = { accept: 'application/json' }
      const response = await requests.open('/approvals', { headers, signal: end.signal })
      const { items, next } = (await response.json()) as Inbox
      const listed = new Set(items.map(({ approvalId }) => approvalId))
      return next === undefined ? approvalIds.filter((id) => listed.has(id)) : approvalIds
    },
    ...commands,
    close: () => finish(cancelled('The conversation was closed here.'), { state: 'closed' }),
  }
}

/** What waits for the user, over all conversations: its first page. */
interface Inbox {
  readonly items: readonly { readonly approvalId: string }[]
  readonly next?: string
}

function carrierOf(options: ConnectOptions, requests: Requests, session: string, platform: Platform): Carrier {
  const carrier = plainCarrierOf(options, requests, session, platform)
  return async (after, events, signal) => {
    const { token } = requests
    try {
      await carrier(after, events, signal)
    } catch (error) {
      if (asAgentError(error).code !== 'UNAUTHENTICATED' || !(await requests.renew(token))) throw error
      await carrier(after, events, signal)
    }
  }
}

function plainCarrierOf(options: ConnectOptions, requests: Requests, session: string, { clock }: Platform): Carrier {
  const bySse = sseCarrier(requests, session)
  const WebSocket = options.WebSocket ?? globalThis.WebSocket
  if (options.via === 'sse' || typeof WebSocket !== 'function') return bySse
  const byWebSocket = webSocketCarrier(requests, session, { clock, WebSocket })
  return options.via === 'websocket' ? byWebSocket : fallingBack(byWebSocket, bySse)
}

function sessionPath(sessionId: string): string {
  if (sessionId === '') throw new AgentError('BAD_REQUEST', 'A session has an id; get one from `openSession()`.')
  return `/sessions/${encodeURIComponent(sessionId)}`
}

interface CommandOptions extends PersistOptions {
  readonly post: (path: string, body: unknown) => Promise<unknown>
  readonly running: () => string | undefined
}

/** A user's other requests. They are retried, for repeating them does no harm. */
function commandsOf(options: CommandOptions): Pick<Conversation, 'approve' | 'deny' | 'cancel' | 'link'> {
  const { post, running, signal } = options
  const insist = (path: string, body: unknown) => persist(() => post(path, body), options)

  const decide = async (approvalId: string, made: Omit<Decision, 'dedupeKey' | 'via'>): Promise<Decided> => {
    try {
      await insist(`approvals/${encodeURIComponent(approvalId)}`, made)
      return 'decided'
    } catch (cause) {
      const error = asAgentError(cause)
      const decided = signal.aborted ? undefined : undecided[error.code]
      if (decided === undefined) throw error
      return decided
    }
  }

  return {
    approve: (approvalId, made) =>
      decide(approvalId, { decision: 'granted', ...(typeof made === 'string' ? { reason: made } : made) }),
    deny: (approvalId, reason) => decide(approvalId, { decision: 'denied', reason }),
    async cancel(turnId = running()) {
      // Stopping the running turn is tried once: a second try might stop a turn that has begun since.
      const answer = turnId === undefined ? post('cancel', {}) : insist('cancel', { turnId })
      return ((await answer) as { cancelled: boolean }).cancelled
    },
    // A link that got lost on its way here stays unused.
    link: () => insist('links', {}) as Promise<SessionLink>,
  }
}

const undecided: Readonly<Partial<Record<string, Decided>>> = {
  ALREADY_DECIDED: 'already',
  EXPIRED: 'expired',
  NOT_FOUND: 'notFound',
}

/** Makes snapshots of a conversation: the same object for as long as nothing has changed. */
function snapshots(stream: EnvelopeStream, rest: () => Pick<Snapshot, 'connection' | 'pending'>): () => Snapshot {
  let last: Snapshot | undefined
  let streamChanged = true
  stream.on('change', () => (streamChanged = true))
  return () => {
    const { connection, pending } = rest()
    if (last !== undefined && !streamChanged && last.connection === connection && last.pending === pending) return last
    const { parts, turns, approvals, decisions, state } = stream
    last = {
      parts: kept(last?.parts, parts),
      turns: kept(last?.turns, turns),
      approvals: last?.approvals.size === approvals.size ? last.approvals : new Map(approvals),
      decisions: last?.decisions.size === decisions.size ? last.decisions : new Map(decisions),
      state,
      connection,
      pending,
    }
    streamChanged = false
    return last
  }
}

function kept<Item>(before: readonly Item[] | undefined, now: readonly Item[]): readonly Item[] {
  if (before === undefined || before.length !== now.length) return now
  return now.every((item, index) => item === before[index]) ? before : now
}
