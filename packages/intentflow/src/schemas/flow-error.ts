import { errorCodes, type ErrorCategory, type ErrorCode } from './error-codes.ts'
import type { ErrorPayload, Recovery } from './server-payloads.ts'

/** What an error says beside its code and message. */
export interface FlowErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>
  readonly instanceId?: string
  /** The eventId of the client event that it answers. */
  readonly inReplyTo?: string
  readonly title?: string
  /** Instead of what the code says. */
  readonly recoverable?: boolean
  readonly recovery?: readonly Recovery[]
  /** Seconds until it makes sense to try again. */
  readonly retryAfter?: number
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

  get details(): Readonly<Record<string, unknown>> | undefined {
    return this.options.details
  }

  /**
   * What clients are told. Details of permissions and of our own failures are left out unless `debug` is set, and a
   * stack never goes out.
   */
  toPayload({ debug = false }: { readonly debug?: boolean } = {}): ErrorPayload {
    const { details, instanceId, inReplyTo, title, recovery, retryAfter } = this.options
    const hidden = this.category === 'permission' || this.category === 'internal'
    return {
      code: this.code,
      message: this.message,
      category: this.category,
      ...(title === undefined ? {} : { title }),
      ...(instanceId === undefined ? {} : { instanceId }),
      ...(inReplyTo === undefined ? {} : { inReplyTo }),
      ...(details === undefined || (hidden && !debug) ? {} : { details }),
      recoverable: this.recoverable,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(recovery === undefined ? {} : { recovery: [...recovery] }),
    }
  }

  /** The same error, about an instance or in reply to an event, where it did not say so itself. */
  about(where: Pick<FlowErrorOptions, 'instanceId' | 'inReplyTo'>): FlowError {
    return new FlowError(this.code, this.message, {
      ...(this.cause === undefined ? {} : { cause: this.cause }),
      ...where,
      ...this.options,
    })
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
