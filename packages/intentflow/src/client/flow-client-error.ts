import { AgentError, type AgentErrorDetails } from '@cool-ai/beach-client/reliability'
import type { ErrorPayload } from '../schemas/server-payloads.ts'

/**
 * Why something that was said did not happen: the code of the server's error, or one of the client's own (`UNREACHABLE`,
 * `QUEUE_FULL`, `CANCELLED`, `BAD_REQUEST`).
 */
export class FlowClientError extends AgentError {
  /** The server's error, where it sent one. */
  readonly payload: ErrorPayload | undefined

  constructor(
    code: string,
    message: string,
    more: AgentErrorDetails & { readonly payload?: ErrorPayload | undefined } = {},
  ) {
    super(code, message, more)
    this.name = 'FlowClientError'
    this.payload = more.payload
  }
}

/** Any error as ours. One with a code keeps what it says, whatever its class; any other means that there was no answer. */
export function asFlowClientError(error: unknown): FlowClientError {
  if (error instanceof FlowClientError) return error
  const { code, message = '', status, retryAfterMs, retryable } = Object(error) as Partial<AgentError>
  if (typeof code === 'string' && typeof retryable === 'boolean') {
    return new FlowClientError(code, message, { status, retryAfterMs, retryable, cause: error })
  }
  return new FlowClientError('UNREACHABLE', 'The server cannot be reached.', { cause: error })
}
