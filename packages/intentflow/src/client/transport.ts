import type { ActiveFlows } from '../state/flow-instance.ts'
import type { ClientEvent } from '../schemas/client-payloads.ts'
import type { ErrorPayload, ServerEvent, ServerEventName } from '../schemas/server-payloads.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What the client says to the server, however it gets there. */
export interface ClientRequest {
  readonly v: 1
  readonly events?: readonly ClientEvent[]
  /** The versions of the flows that this client can show. */
  readonly client?: { readonly v: 1; readonly flows: Readonly<Record<string, string>> }
  /** What this client has: the server answers with all active flows if that is not what there is. */
  readonly known?: readonly Known[]
}

/** A flow that is here, and the seq of its last event. */
export interface Known {
  readonly instanceId: string
  readonly seq: number
}

/** What became of one thing that was said. */
export interface EventResult {
  readonly eventId: string
  /** `pending` when work for it goes on, and its events will come. */
  readonly status: 'applied' | 'duplicate' | 'rejected' | 'pending'
  /** The seq of the instance after it. */
  readonly seq?: number
  /** The instance that it was about, or has opened. */
  readonly instanceId?: string
  readonly code?: string
  readonly message?: string
  readonly error?: ErrorPayload
}

/** What the server answers a client's input with. */
export interface Answer {
  readonly results: readonly EventResult[]
  /** All there are, when what the client had was not that. */
  readonly activeFlows?: ActiveFlows | undefined
}

/** An event of AG-UI, as far as flows are concerned. */
export interface ReceivedEvent {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly snapshot?: unknown
  readonly delta?: unknown
}

/** What a transport tells while it follows. */
export interface FollowEvents {
  /** The server has agreed: events will come, and a sign of life at least every `heartbeatMs` if there is one. */
  readonly opened: (heartbeatMs?: number) => void
  /** A sign of life has come that is no event. */
  readonly activity?: () => void
  /** @deprecated Use `activity`. */
  readonly heard?: () => void
  readonly event: (event: ReceivedEvent) => void
}

/** How a client and a server reach each other. Transports try once; the client tries again. */
export interface FlowTransport {
  /** One try to say something. The `code` and `retryable` of what it rejects with count; any other error is UNREACHABLE. */
  readonly send: (said: ClientRequest, signal: AbortSignal) => Promise<Answer>
  /**
   * One connection over which the server's events come. Resolves when the server has ended it, and rejects when it broke
   * or was refused. A transport without it brings events only while something is sent.
   */
  readonly follow?: (said: ClientRequest, events: FollowEvents, signal: AbortSignal) => Promise<void>
  /** Calls back for events that come by themselves, from now on; the returned function ends it. */
  readonly listen?: (onEvent: (event: ReceivedEvent) => void) => () => void
}

/** An answer, read from what a server sent; anything else is an answer that says nothing. */
export function answerOf(value: unknown): Answer {
  const { results, activeFlows } = isRecord(value) ? value : {}
  return {
    results: Array.isArray(results) ? results.filter(isResult) : [],
    activeFlows: isRecord(activeFlows) ? (activeFlows as ActiveFlows) : undefined,
  }
}

function isResult(value: unknown): value is EventResult {
  return isRecord(value) && typeof value.eventId === 'string' && typeof value.status === 'string'
}

export function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a payload must at least have for anything to be done with it. The server has checked it against its schema. */
const needed: Readonly<Record<ServerEventName, (value: Values) => boolean>> = {
  'intentflow.render': (value) => hasText(value, 'instanceId', 'intentId', 'displayMode') && isRecord(value.props),
  'intentflow.transition': (value) => hasText(value, 'instanceId', 'toState'),
  'intentflow.props_update': (value) =>
    hasText(value, 'instanceId') && (isRecord(value.patch) || Array.isArray(value.operations)),
  'intentflow.dismiss': (value) => hasText(value, 'instanceId', 'reason'),
  'intentflow.error': (value) => hasText(value, 'code', 'message'),
  'intentflow.action': (value) => hasText(value, 'action') && isRecord(value.config),
}

/** An event of flows, if it is one that can be used; undefined for what is none. */
export function serverEventOf({ type, name = '', value }: ReceivedEvent): ServerEvent | undefined {
  if (type !== 'CUSTOM' || !Object.hasOwn(needed, name) || !isRecord(value)) return undefined
  const { seq } = value
  const isUsable = needed[name as ServerEventName](value) && (seq === undefined || Number.isInteger(seq))
  return isUsable ? ({ type, name, value } as unknown as ServerEvent) : undefined
}

function hasText(value: Values, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string')
}
