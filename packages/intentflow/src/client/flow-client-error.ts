import type { ErrorPayload } from '../schemas/server-payloads.ts'

/**
 * Why something that was said did not happen: the code of the server's error, or one of the client's own (`UNREACHABLE`,
 * `QUEUE_FULL`, `CANCELLED`, `BAD_REQUEST`).
 */
export class FlowClientError extends Error {
  readonly code: string
  /** The status of HTTP that it came with; absent when nobody answered. */
  readonly status: number | undefined
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined
  /** True when the same may succeed later. */
  readonly retryable: boolean
  /** The server's error, where it sent one. */
  readonly payload: ErrorPayload | undefined

  constructor(
    code: string,
    message: string,
    more: {
      readonly status?: number
      readonly retryAfterMs?: number | undefined
      readonly payload?: ErrorPayload | undefined
      readonly retryable?: boolean
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'FlowClientError'
    this.code = code
    this.status = more.status
    this.retryAfterMs = more.retryAfterMs
    this.payload = more.payload
    this.retryable = more.retryable ?? mayPass(code, more.status)
  }
}

function mayPass(code: string, status: number | undefined): boolean {
  return status === undefined ? code === 'UNREACHABLE' : status >= 500 || [408, 425, 429].includes(status)
}

/** Nobody answered, or the connection broke. */
export function unreachable(message: string, cause?: unknown): FlowClientError {
  return new FlowClientError('UNREACHABLE', message, { cause })
}

/** What was ended on this side. */
export function cancelled(message: string): FlowClientError {
  return new FlowClientError('CANCELLED', message)
}

/** Any error as ours; what `fetch` throws means that nobody answered. */
export function asFlowClientError(error: unknown): FlowClientError {
  return error instanceof FlowClientError ? error : unreachable('The server cannot be reached.', error)
}
