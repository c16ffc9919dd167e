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
import { errorIdHeader, noteError, retryHeaders, type ErrorRuntime } from '@cool-ai/beach-channel/http'
import { isBeachError, type BeachError, type ErrorCode } from '@cool-ai/beach-core'
import { isStoreFailure } from '@cool-ai/beach-core/runtime'
import { errorIdDetail } from './error-id.ts'

/** An error as an answer: the HTTP status, and the body's error in the manner of the binding. */
export interface WireError<Body> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** An error of JSON-RPC, with its details in Google's error model. */
interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: readonly unknown[]
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
export function toA2aError(error: unknown): A2AError | BeachError {
  if (error instanceof A2AError) return error
  if (isBeachError(error)) {
    const make = named[error.code]
    if (make !== undefined) return make(error.message)
    if (error.status < 500 || byStatus.has(error.code) || isStoreFailure(error)) return error
  }
  return new A2AError(sorry)
}

/** Notes an error that a caller of A2A is told of. */
export function noteA2aError(error: unknown, runtime: ErrorRuntime): string {
  if (!(error instanceof A2AError)) return noteError(error, runtime)
  return noteError(error, runtime, { code: error.reason, status: restStatusFor(error) })
}

/** The error in JSON-RPC's manner. */
export function jsonRpcError(error: unknown, runtime: ErrorRuntime): WireError<RpcError> {
  const id = noteA2aError(error, runtime)
  const detail = errorIdDetail(id)
  const seen = toA2aError(error)
  if (seen instanceof A2AError) {
    const { data, ...body } = toJsonRpcError(seen)
    const status = body.code === A2A_ERROR_CODE.INTERNAL_ERROR ? 500 : 200
    const details: readonly unknown[] = Array.isArray(data) ? data : []
    return {
      status,
      headers: { ...closing(error), [errorIdHeader]: id },
      body: { ...body, data: [...details, detail] },
    }
  }
  const { code, message } = seen
  const [status, rpcCode] =
    code === 'BAD_JSON'
      ? [200, A2A_ERROR_CODE.PARSE_ERROR]
      : code === 'TOO_DEEP'
        ? [200, A2A_ERROR_CODE.INVALID_REQUEST]
        : [seen.status, serverError]
  return {
    status,
    headers: { ...headersOf(seen), [errorIdHeader]: id },
    body: { code: rpcCode, message, data: [detail] },
  }
}

/** The error in the manner of HTTP+JSON. */
export function restError(error: unknown, runtime: ErrorRuntime): WireError<unknown> {
  const id = noteA2aError(error, runtime)
  const detail = errorIdDetail(id)
  const seen = toA2aError(error)
  if (seen instanceof A2AError) {
    const status = restStatusFor(seen)
    const { error: body } = toRestErrorBody(seen, status)
    const details = [...body.details, detail]
    return { status, headers: { ...closing(error), [errorIdHeader]: id }, body: { error: { ...body, details } } }
  }
  const { status, message, code } = seen
  const body = { error: { code: status, status: code, message, details: [detail] } }
  return { status, headers: { ...headersOf(seen), [errorIdHeader]: id }, body }
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
