/** Every error that Beach raises by itself: its code, the HTTP status it maps to, and whether trying again can help. */
export const errorCatalogue = {
  BAD_REQUEST: { status: 400, retryable: false },
  BAD_JSON: { status: 400, retryable: false },
  TOO_DEEP: { status: 400, retryable: false },
  UNAUTHENTICATED: { status: 401, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false },
  IDEMPOTENCY_MISMATCH: { status: 409, retryable: false },
  TURN_RUNNING: { status: 409, retryable: true },
  ALREADY_DECIDED: { status: 409, retryable: false },
  STALE_SURFACE: { status: 409, retryable: false },
  SESSION_FULL: { status: 409, retryable: false },
  EXPIRED: { status: 410, retryable: false },
  TOO_LARGE: { status: 413, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false },
  RANGE_NOT_SATISFIABLE: { status: 416, retryable: false },
  WRONG_HOST: { status: 421, retryable: false },
  UPGRADE_REQUIRED: { status: 426, retryable: false },
  TOO_MANY: { status: 429, retryable: true },
  MAILBOX_FULL: { status: 429, retryable: true },
  INVALID_REGISTRATION: { status: 500, retryable: false },
  INVALID_PART: { status: 422, retryable: false },
  INVALID_STATE: { status: 422, retryable: false },
  INVALID_CONFIGURATION: { status: 500, retryable: false },
  UNKNOWN_ACTOR: { status: 500, retryable: false },
  ACTOR_FAILED: { status: 500, retryable: true },
  ACTOR_UNSETTLED: { status: 500, retryable: false },
  REPLAY_MISMATCH: { status: 500, retryable: false },
  NOT_RECORDED: { status: 422, retryable: false },
  TURN_CLOSED: { status: 409, retryable: false },
  TURN_STUCK: { status: 500, retryable: false },
  TIMEOUT: { status: 504, retryable: true },
  LEASE_LOST: { status: 503, retryable: true },
  COMMIT_TOO_LARGE: { status: 413, retryable: false },
  CONFLICT: { status: 409, retryable: true },
  STORE_BUSY: { status: 503, retryable: true },
  STORE_UNAVAILABLE: { status: 503, retryable: true },
  STORE_LOST: { status: 503, retryable: true },
  STORE_DAMAGED: { status: 503, retryable: true },
  STORE_CLOSED: { status: 503, retryable: false },
  STOPPING: { status: 503, retryable: true },
  NEWER_VERSION: { status: 503, retryable: true },
  SLOW_READER: { status: 503, retryable: true },
  ADDRESS_REFUSED: { status: 403, retryable: false },
  REDIRECT_REFUSED: { status: 502, retryable: false },
  UNREACHABLE: { status: 502, retryable: true },
  UNKNOWN_PEER: { status: 404, retryable: false },
  CARD_REFUSED: { status: 502, retryable: false },
  PEER_FAILED: { status: 502, retryable: true },
  PEER_BUSY: { status: 503, retryable: true },
  PEER_UNAVAILABLE: { status: 503, retryable: true },
  PEER_PROTOCOL: { status: 502, retryable: false },
  TOO_MANY_HOPS: { status: 508, retryable: false },
  CANCELLED: { status: 499, retryable: false },
  INTERNAL: { status: 500, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>

/** A code of the catalogue of errors. */
export type ErrorCode = keyof typeof errorCatalogue

/** The one error class: a code from the catalogue, a sentence that says what is wrong and what to do, and the cause. */
export class BeachError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BeachError'
    this.code = code
    this.details = options.details ?? {}
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }

  get retryable(): boolean {
    return errorCatalogue[this.code].retryable
  }
}

/**
 * How a call that threw has ended, for callers that must not repeat it blindly. A call without an answer, because it
 * took too long or its connection broke, may have taken effect: `details.outcome` says so for any call; a timeout or a
 * broken connection implies it for calls that are not idempotent.
 */
export function outcomeOf(error: unknown, isIdempotent: boolean): 'failed' | 'unknown' {
  if (isBeachError(error) && error.details.outcome === 'unknown') return 'unknown'
  return !isIdempotent && isCutOff(error) ? 'unknown' : 'failed'
}

// Error codes of the network for a connection that broke, or on which nothing arrived any more.
const brokenCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
const maxCauses = 5

function isCutOff(error: unknown): boolean {
  let link = error
  for (let depth = 0; link instanceof Error && depth < maxCauses; depth++) {
    if (isBeachError(link, 'TIMEOUT') || link.name === 'TimeoutError') return true
    if ('code' in link && typeof link.code === 'string' && brokenCodes.has(link.code)) return true
    link = link.cause
  }
  return false
}

/** Appended to the reason of a call whose outcome is unknown. */
export const unknownOutcome = 'Whether it took effect is not known: find out before you do it again.'

/** True for a BeachError, and for one of the given code when a code is named. */
export function isBeachError(error: unknown, code?: ErrorCode): error is BeachError {
  return error instanceof BeachError && (code === undefined || error.code === code)
}

/** The result of a lookup; undefined when what it looks for does not exist, or belongs to another caller. */
export async function ifFound<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isBeachError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

const storeCodes: ReadonlySet<ErrorCode> = new Set([
  'STORE_BUSY',
  'STORE_UNAVAILABLE',
  'STORE_LOST',
  'STORE_DAMAGED',
  'STORE_CLOSED',
])

/** True when the store failed, and not the request: the same call may succeed another time. */
export function isStoreFailure(error: unknown): error is BeachError {
  return isBeachError(error) && storeCodes.has(error.code)
}
