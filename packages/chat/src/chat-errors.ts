import { isBeachError } from '@cool-ai/beach-core'

/** Why a platform did not take something. */
export interface ChatFailure {
  readonly status: 'failed' | 'refused'
  readonly reason: string
  /** True when it may have been done nevertheless. */
  readonly isUncertain?: boolean
  /** How long it asked us to wait. */
  readonly waitMs?: number | undefined
}

/** Errors of adapters that another try does not cure. */
const lasting: ReadonlySet<string> = new Set(['PermissionError', 'ResourceNotFoundError', 'ValidationError'])
/** Errors of the Slack API that another try may cure; all others are refusals. */
const passing: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'not_authed',
  'invalid_auth',
  'token_expired',
])
/** While a token is renewed, or by the platform's own fault. */
const passingStatus: ReadonlySet<number> = new Set([401, 408, 425, 429])
const rateWaitMs = 1_000

interface AnyAdapterError {
  readonly name?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly retryAfter?: unknown
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly originalError?: unknown
  readonly data?: { readonly error?: unknown }
}

/** What an error of an adapter comes to: they have classes of their own, and pass on those of the platforms' libraries. */
export function failureOf(platform: string, error: unknown): ChatFailure {
  const { name, code, message, retryAfter, data } = Object(error) as AnyAdapterError
  const said = typeof data?.error === 'string' ? data.error : typeof message === 'string' ? message : 'an error'
  const reason = `${platform} answered: ${said.slice(0, 200)}`
  if (isBeachError(error)) return { status: error.retryable ? 'failed' : 'refused', reason: error.message }
  const status = statusOf(error)
  if (name === 'AdapterRateLimitError' || code === 'slack_webapi_rate_limited_error' || status === 429) {
    const seconds = typeof retryAfter === 'number' ? retryAfter : writtenWait(message)
    const waitMs = seconds === undefined ? rateWaitMs : seconds * 1_000
    return { status: 'failed', reason: `${platform} has asked us to wait.`, waitMs }
  }
  if (typeof name === 'string' && lasting.has(name)) return { status: 'refused', reason }
  if (code === 'slack_webapi_platform_error') return { status: passing.has(said) ? 'failed' : 'refused', reason }
  if (status === undefined) return { status: 'failed', reason, isUncertain: true }
  const passes = status >= 500 || passingStatus.has(status)
  return { status: passes ? 'failed' : 'refused', reason }
}

/** The seconds to wait, where an adapter passes on only the answer’s body. */
function writtenWait(message: unknown): number | undefined {
  const [, seconds] = /"retry_after":\s*(\d+(?:\.\d+)?)/.exec(typeof message === 'string' ? message : '') ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

/** Adapters without a class for it say the status in their message, or in the error that they pass on. */
function statusOf(error: unknown): number | undefined {
  const { status, statusCode, message, originalError } = Object(error) as AnyAdapterError
  const told = [status, statusCode].find((value) => typeof value === 'number' && value >= 400)
  if (typeof told === 'number') return told
  const [, written] =
    /\b(?:API error:?|status(?: code)?:?|HTTP)\s*([45]\d\d)\b/i.exec(typeof message === 'string' ? message : '') ?? []
  if (written !== undefined) return Number(written)
  return originalError === undefined ? undefined : statusOf(originalError)
}
