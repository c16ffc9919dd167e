import { defined } from '@cool-ai/beach-core/runtime'
import type { Values } from './json-problem.ts'
import type { ErrorPayload, Recovery } from './server-payloads.ts'

export const errorCategories = ['validation', 'permission', 'state', 'external', 'internal'] as const
export type ErrorCategory = (typeof errorCategories)[number]

/** What is true of every error with a code, unless it says otherwise itself. */
export interface ErrorKind {
  readonly category: ErrorCategory
  /** The HTTP status, where the error is the answer to a request. */
  readonly status: number
  /** True when the user can go on with the flow. */
  readonly recoverable: boolean
  /** True when the same thing can work a little later. */
  readonly transient: boolean
  readonly message: string
}

const table = {
  INVALID_PROPS: ['validation', 400, false, false, 'The data of this flow does not fit its schema.'],
  INVALID_PAYLOAD: ['validation', 400, true, false, 'What was sent does not have the form that is needed.'],
  INVALID_MESSAGE: ['validation', 400, false, false, 'This is no message of IntentFlow.'],
  UNSUPPORTED: ['validation', 501, true, false, 'That is not possible on this device.'],
  UNSUPPORTED_VERSION: ['validation', 400, false, false, 'This version of the flow cannot be shown here.'],
  FLOW_NOT_FOUND: ['state', 404, false, false, 'There is no such flow.'],
  INSTANCE_NOT_FOUND: ['state', 404, false, false, 'This flow is not open, or no longer.'],
  INSTANCE_EXPIRED: ['state', 410, false, false, 'The time for this flow has run out.'],
  INVALID_TRANSITION: ['state', 409, true, false, 'That cannot be done in the state that the flow is in.'],
  STATE_CONFLICT: ['state', 409, true, false, 'The flow has changed in the meantime.'],
  DISMISS_REJECTED: ['state', 409, true, false, 'This flow cannot be dismissed before it is complete.'],
  AUTH_REQUIRED: ['permission', 401, true, false, 'You need to sign in for this.'],
  PERMISSION_DENIED: ['permission', 403, false, false, 'You may not do this.'],
  RATE_LIMITED: ['permission', 429, true, true, 'That was too much at once. Try again in a moment.'],
  HYDRATION_FAILED: ['external', 502, true, false, 'What this flow needs could not be found out.'],
  MUTATION_FAILED: ['external', 422, true, false, 'That could not be carried out.'],
  SERVICE_UNAVAILABLE: ['external', 503, true, true, 'A service that is needed does not answer at the moment.'],
  TIMEOUT: ['external', 504, true, true, 'That took too long.'],
  INTERNAL_ERROR: ['internal', 500, false, false, 'Something went wrong here.'],
} as const satisfies Record<string, readonly [ErrorCategory, number, boolean, boolean, string]>

/** The name of what went wrong. An application's own codes go into `details.appCode`. */
export type ErrorCode = keyof typeof table

export const errorCodeNames = Object.keys(table) as [ErrorCode, ...ErrorCode[]]

/** The codes of errors of flows, with what each means. */
export const errorCodes = Object.fromEntries(
  Object.entries(table).map(([code, [category, status, recoverable, transient, message]]) => [
    code,
    { category, status, recoverable, transient, message },
  ]),
) as Readonly<Record<ErrorCode, ErrorKind>>

/** What an error of a flow says besides its message. */
export interface FlowErrorOptions {
  readonly details?: Values | undefined
  readonly instanceId?: string | undefined
  /** The eventId of the client event that it answers. */
  readonly inReplyTo?: string | undefined
  readonly title?: string | undefined
  /** Instead of what the code says. */
  readonly recoverable?: boolean | undefined
  readonly recovery?: readonly Recovery[] | undefined
  /** Seconds until it makes sense to try again. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/**
 * The one error of IntentFlow. Its message is for users. Given a cause instead of a message, it says what its code says,
 * and of a failed validation which fields are wrong; what other causes say stays on the server.
 */
export class FlowError extends Error {
  readonly code: ErrorCode
  readonly options: FlowErrorOptions

  constructor(code: ErrorCode, messageOrCause?: unknown, options: FlowErrorOptions = {}) {
    const given = typeof messageOrCause === 'string' ? messageOrCause : undefined
    const cause = given === undefined ? (messageOrCause ?? options.cause) : options.cause
    super(given ?? messageFor(code, cause), cause === undefined ? undefined : { cause })
    this.name = 'FlowError'
    this.code = code
    this.options = options
  }

  get category(): ErrorCategory {
    return errorCodes[this.code].category
  }

  /** The HTTP status, where the error is the answer to a request. */
  get status(): number {
    return errorCodes[this.code].status
  }

  get recoverable(): boolean {
    return this.options.recoverable ?? errorCodes[this.code].recoverable
  }

  /** True when the same thing can work a little later. */
  get transient(): boolean {
    return errorCodes[this.code].transient
  }

  get details(): Values | undefined {
    return this.options.details
  }

  /**
   * What clients are told. Details of permissions and of our own failures are left out unless `debug` is set, and a
   * stack never goes out.
   */
  toPayload({ debug = false }: { readonly debug?: boolean } = {}): ErrorPayload {
    const { details, instanceId, inReplyTo, title, recovery, retryAfter } = this.options
    const hidden = this.category === 'permission' || this.category === 'internal'
    const { code, message, category, recoverable } = this
    const about = { title, instanceId, inReplyTo, details: hidden && !debug ? undefined : details }
    return defined({ code, message, category, ...about, recoverable, retryAfter, recovery: recovery && [...recovery] })
  }

  /** The same error, about an instance or in reply to an event, where it did not say so itself. */
  about(where: Pick<FlowErrorOptions, 'instanceId' | 'inReplyTo'>): FlowError {
    return new FlowError(this.code, this.message, { ...defined({ cause: this.cause }), ...where, ...this.options })
  }
}

/** True for a FlowError, and for one of the given code when a code is named. */
export function isFlowError(error: unknown, code?: ErrorCode): error is FlowError {
  return error instanceof FlowError && (code === undefined || error.code === code)
}

/** Any failure as a FlowError: itself, a TIMEOUT if something took too long, otherwise `code`. */
export function toFlowError(error: unknown, code: ErrorCode = 'INTERNAL_ERROR'): FlowError {
  if (isFlowError(error)) return error
  const timedOut = error instanceof Error && (error.name === 'TimeoutError' || Reflect.get(error, 'code') === 'TIMEOUT')
  return new FlowError(timedOut ? 'TIMEOUT' : code, undefined, { cause: error })
}

function messageFor(code: ErrorCode, cause: unknown): string {
  const problems = code.startsWith('INVALID_') ? problemsOf(cause) : []
  return [errorCodes[code].message, ...problems].join(' ').slice(0, 2_000)
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The issues of a failed parse; told by shape, so that clients need no zod for it. */
function problemsOf(cause: unknown): string[] {
  if (typeof cause !== 'object' || cause === null || !('issues' in cause) || !Array.isArray(cause.issues)) return []
  return (cause.issues as Issue[]).slice(0, 5).map(({ path, message }) => {
    const place = path.map(String).join('.')
    return place === '' ? `${message}.` : `${place}: ${message}.`
  })
}
