import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  LoadSettingError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { isBeachError } from '@cool-ai/beach-core'

/** What may be told of a failure: nothing of the request, of the answer's wording or of the address, which hold secrets. */
export interface FailureFacts {
  readonly reason: string
  readonly status?: number | undefined
  /** What the provider calls it. */
  readonly type?: string | undefined
  /** What the network calls it. */
  readonly code?: string | undefined
  /** What the provider finds the request by. */
  readonly requestId?: string | undefined
  /** The name of an error that nothing else is known of. */
  readonly error?: string
}

/** When the provider wants to be asked again: after a while, or at a time. */
export type RetryAfter = { readonly ms: number } | { readonly at: number }

interface FailureOptions {
  readonly retryable: boolean
  readonly retryAfter?: RetryAfter | undefined
  readonly frames?: readonly string[] | undefined
}

/** A call of a model that failed on the model's side. It has no cause: that would quote the request and the answer. */
export class ModelFailure extends Error {
  readonly facts: FailureFacts
  readonly retryable: boolean
  readonly retryAfter: RetryAfter | undefined
  /** Where an error that nothing else is known of was thrown. */
  readonly frames: readonly string[]

  constructor(facts: FailureFacts, { retryable, retryAfter, frames = [] }: FailureOptions) {
    super(facts.reason)
    this.name = 'ModelFailure'
    this.facts = facts
    this.retryable = retryable
    this.retryAfter = retryAfter
    this.frames = frames
  }

  /** Whether the provider does not know the key, or does not let it use the model. */
  get isRefusedKey(): boolean {
    return this.facts.status === 401 || this.facts.status === 403
  }
}

const networkCodes = new Set(['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'])
// What fetch says, depending on the runtime, of a connection that breaks.
const brokenConnection = /^(terminated|fetch failed|failed to fetch|load failed|network ?error.*)$/i
const brokenOff = 'The stream ended before it was complete.'

/** A stream that ended too early. */
export function brokenStream(): ModelFailure {
  return new ModelFailure({ reason: brokenOff }, { retryable: true })
}

/** What went wrong, whatever the provider package threw or reported. */
export function modelFailure(error: unknown): ModelFailure {
  const own = ownFailure(error)
  if (own !== undefined) return own
  if (APICallError.isInstance(error)) return ofCall(error)
  if (isOfSettings(error)) return new ModelFailure({ reason: error.message }, { retryable: false })
  if (isUnreadable(error)) {
    return new ModelFailure({ reason: 'The stream holds something unreadable.' }, { retryable: true })
  }
  const code = networkCode(error)
  if (code !== undefined) return new ModelFailure({ reason: brokenOff, code }, { retryable: true })
  if (error instanceof TypeError && brokenConnection.test(error.message)) return brokenStream()
  if (error instanceof Error) {
    const facts = { reason: 'The call failed.', error: error.name }
    return new ModelFailure(facts, { retryable: false, frames: framesOf(error) })
  }
  return ofReport(error)
}

/** A failure of ours, which provider packages wrap into errors of their own. */
function ownFailure(error: unknown): ModelFailure | undefined {
  let link = error
  for (let depth = 0; link instanceof Error && depth < 5; depth++) {
    if (link instanceof ModelFailure) return link
    link = link.cause
  }
  return undefined
}

function ofCall(error: APICallError): ModelFailure {
  const { statusCode: status, responseHeaders: headers = {} } = error
  const code = networkCode(error.cause)
  if (status === undefined || status < 300) {
    const reason = status === undefined ? 'There is no connection to the provider.' : brokenOff
    // An answer that broke off after a good start may succeed the next time.
    return new ModelFailure({ reason, code }, { retryable: error.isRetryable || status !== undefined })
  }
  const type = nameOf(field(error.data, 'error') ?? error.data)
  const id = headers['request-id'] ?? headers['x-request-id'] ?? ''
  const requestId = /^[\w-]{1,80}$/.test(id) ? id : undefined
  const facts = { reason: `The provider answered ${status}.`, status, type, requestId }
  return new ModelFailure(facts, { retryable: error.isRetryable, retryAfter: retryAfterIn(headers) })
}

/** An error that the provider reported in the stream, as an object of its own making. */
function ofReport(report: unknown): ModelFailure {
  const type = nameOf(report)
  const status = statusOf(report)
  const facts = { reason: 'The provider reported an error in the stream.', status, type }
  const said = field(report, 'isRetryable')
  return new ModelFailure(facts, { retryable: typeof said === 'boolean' ? said : mayPass(status, type) })
}

/** Whether an error may pass by itself; an unknown one may. */
function mayPass(status: number | undefined, type = ''): boolean {
  if (status !== undefined) return status === 408 || status === 409 || status === 429 || status >= 500
  return !/invalid|auth|permission|forbidden|not_found|too_large|quota|billing|content_filter|context_length/i.test(
    type,
  )
}

/** Errors about our own settings, whose words are the provider package's and ours. */
function isOfSettings(error: unknown): error is Error {
  if (LoadAPIKeyError.isInstance(error) || LoadSettingError.isInstance(error)) return true
  return UnsupportedFunctionalityError.isInstance(error) || isBeachError(error)
}

/** Errors about the answer, which quote it. */
function isUnreadable(error: unknown): boolean {
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) return true
  return InvalidResponseDataError.isInstance(error) || EmptyResponseBodyError.isInstance(error)
}

function networkCode(error: unknown): string | undefined {
  let link = error
  for (let depth = 0; link instanceof Error && depth < 5; depth++) {
    const code = field(link, 'code')
    if (typeof code === 'string' && (networkCodes.has(code) || code.startsWith('UND_ERR_'))) return code
    link = link.cause
  }
  return undefined
}

/** Only what reads like the name of an error: a key that a provider repeats does not. */
function nameOf(report: unknown): string | undefined {
  const names = [field(report, 'type'), field(report, 'code')]
  return names.find((name): name is string => typeof name === 'string' && /^[a-z]+(_[a-z]+){0,5}$/i.test(name))
}

function statusOf(report: unknown): number | undefined {
  const codes = [field(report, 'statusCode'), field(report, 'status'), field(report, 'code')]
  return codes.find((code): code is number => typeof code === 'number' && code >= 400 && code < 600)
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined
}

function retryAfterIn(headers: Readonly<Record<string, string>>): RetryAfter | undefined {
  const { 'retry-after-ms': ms, 'retry-after': value } = headers
  if (ms !== undefined && isAmount(ms)) return { ms: Number(ms) }
  if (value === undefined) return undefined
  if (isAmount(value)) return { ms: Number(value) * 1_000 }
  // A bare number that is no amount would be some date or other to Date.parse.
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : { at }
}

function isAmount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text.trim())
}

function framesOf({ stack = '' }: Error): string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.slice(0, 5).map((line) => line.trim())
}
