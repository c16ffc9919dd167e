import type { ErrorCode } from '@cool-ai/beach-core'

/** What an agent's error says besides its message. */
export interface AgentErrorDetails {
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** Follows from status and code unless said. */
  readonly retryable?: boolean | undefined
  readonly errorId?: string | undefined
  readonly cause?: unknown
}

/**
 * An error of the agent, or of the connection to it: its code, and a sentence that says what is wrong and what to do.
 * Core's own class is not used, because its catalogue would be a tenth of the client.
 */
export class AgentError extends Error {
  /** The agent's code; a newer agent may have others. */
  readonly code: ErrorCode | (string & {})
  /** The status of HTTP that it came with; absent without an answer. */
  readonly status: number | undefined
  /** How long the agent asks to wait. */
  readonly retryAfterMs: number | undefined
  /** True when the same request may succeed later. */
  readonly retryable: boolean
  /** By which the agent's log and its inspector have the error; absent where the agent gave none. */
  readonly errorId: string | undefined

  constructor(code: ErrorCode | (string & {}), message: string, more: AgentErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'AgentError'
    this.code = code
    this.status = more.status
    this.retryAfterMs = more.retryAfterMs
    this.errorId = more.errorId
    this.retryable = more.retryable ?? mayPass(code, more.status)
  }
}

function mayPass(code: string, status: number | undefined): boolean {
  return status === undefined ? code === 'UNREACHABLE' : status >= 500 || [408, 425, 429].includes(status)
}

/** The connection or the request broke, or was never made. */
export function unreachable(message: string, cause?: unknown): AgentError {
  return new AgentError('UNREACHABLE', message, { cause })
}

/** The error of something that was ended on this side. */
export function cancelled(message: string): AgentError {
  return new AgentError('CANCELLED', message)
}

/** Any error as ours; what `fetch` throws means that there was no answer. */
export function asAgentError(error: unknown): AgentError {
  return error instanceof AgentError ? error : unreachable('The agent cannot be reached.', error)
}

/** The error for an unsuccessful answer; `body` is the JSON that came with it, if any did. */
export function refusalOf({ status, headers }: Response, body: unknown, now: number): AgentError {
  const { code, message, id } = wireError(body)
  const retryAfterMs = delayOf(headers.get('retry-after'), now)
  return refusal(status, message, code, { retryAfterMs, errorId: typeof id === 'string' ? id : undefined })
}

/** What the agent has refused with a status of HTTP. */
export function refusal(status: number, message: unknown, code?: unknown, more?: AgentErrorDetails): AgentError {
  const known = typeof code === 'string' ? code : (codes[status] ?? (status < 500 ? 'BAD_REQUEST' : 'UNREACHABLE'))
  const sentence = typeof message === 'string' && message !== '' ? message : `The agent answered with status ${status}.`
  return new AgentError(known, sentence, { ...more, status })
}

/** The codes of refusals that come without one: a WebSocket has only the status, and a proxy none of ours. */
const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  410: 'EXPIRED',
  429: 'TOO_MANY',
}

/** The error in a body; none when a proxy in front of the agent has answered. */
export function wireError(body: unknown): {
  readonly code?: unknown
  readonly message?: unknown
  readonly id?: unknown
} {
  return (body as { error?: object } | null | undefined)?.error ?? {}
}

/** `Retry-After` is a number of seconds or a date. */
function delayOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
