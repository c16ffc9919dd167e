import {
  A2A_ERROR_CODE,
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  restStatusFor,
  TaskNotFoundError,
  toJsonRpcError,
  toRestErrorBody,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import { challengeIn } from '@cool-ai/beach-channel/auth'
import { retryHeaders } from '@cool-ai/beach-channel/http'
import { isBeachError, type BeachError, type ErrorCode, type Logger } from '@cool-ai/beach-core'
import { isStoreFailure } from '@cool-ai/beach-core/runtime'

/** An error as an answer: the HTTP status, and the body's error in the manner of the binding. */
export interface WireError<Body> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** The codes of ours for which A2A has an error of its own. */
const named: Readonly<Partial<Record<ErrorCode, (message: string) => A2AError>>> = {
  NOT_FOUND: (message) => new TaskNotFoundError(message),
  UNSUPPORTED_MEDIA_TYPE: (message) => new ContentTypeNotSupportedError(message),
  BAD_REQUEST: (message) => new RequestMalformedError(message),
  INVALID_PART: (message) => new RequestMalformedError(message),
  IDEMPOTENCY_MISMATCH: (message) => new RequestMalformedError(message),
  TURN_RUNNING: (message) => new UnsupportedOperationError(message),
  SESSION_FULL: (message) => new UnsupportedOperationError(message),
  TOO_MANY_HOPS: (message) => new UnsupportedOperationError(message),
}

/** Codes whose HTTP status says what A2A has no error for, in JSON-RPC too. */
const byStatus: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'TOO_LARGE',
  'TOO_MANY',
  'MAILBOX_FULL',
])

/** The code of errors that JSON-RPC and A2A have no other for. */
export const serverError = -32_000
const sorry = 'Something went wrong on our side. Try again.'

/** The error as the caller may see it: ours with their sentence, the SDK's own, and of anything else not a word. */
export function toA2aError(error: unknown, logger: Logger): A2AError | BeachError {
  if (error instanceof A2AError) return error
  if (isBeachError(error)) {
    const make = named[error.code]
    if (make !== undefined) return make(error.message)
    if (error.status < 500 || byStatus.has(error.code) || isStoreFailure(error)) return error
  }
  logger.log('error', 'an A2A request failed', { error })
  return new A2AError(sorry)
}

/** The error in JSON-RPC's manner. */
export function jsonRpcError(error: unknown, logger: Logger): WireError<ReturnType<typeof toJsonRpcError>> {
  const seen = toA2aError(error, logger)
  if (seen instanceof A2AError) {
    const body = toJsonRpcError(seen)
    const status = body.code === A2A_ERROR_CODE.INTERNAL_ERROR ? 500 : 200
    return { status, headers: closing(error), body }
  }
  if (seen.code === 'BAD_JSON') return plain(200, A2A_ERROR_CODE.PARSE_ERROR, seen)
  if (seen.code === 'TOO_DEEP') return plain(200, A2A_ERROR_CODE.INVALID_REQUEST, seen)
  return plain(seen.status, serverError, seen)
}

function plain(status: number, code: number, seen: BeachError) {
  return { status, headers: headersOf(seen), body: { code, message: seen.message } }
}

/** The error in the manner of HTTP+JSON. */
export function restError(error: unknown, logger: Logger): WireError<unknown> {
  const seen = toA2aError(error, logger)
  if (seen instanceof A2AError) {
    const status = restStatusFor(seen)
    return { status, headers: closing(error), body: toRestErrorBody(seen, status) }
  }
  const { status, message, code } = seen
  const body = { error: { code: status, status: code, message, details: [] } }
  return { status, headers: headersOf(seen), body }
}

/** What did not come in time is not waited for any longer. */
function closing(error: unknown): Record<string, string> {
  return isBeachError(error) && error.details.close === true ? { connection: 'close' } : {}
}

function headersOf(error: BeachError): Record<string, string> {
  const { code, details } = error
  return {
    ...(code === 'UNAUTHENTICATED' && { 'www-authenticate': challengeIn(error) }),
    ...retryHeaders(error),
    ...(typeof details.allow === 'string' && { allow: details.allow }),
  }
}
