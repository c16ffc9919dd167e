import { isBeachError } from '@cool-ai/beach-core'
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'

export const lost: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
])
const wrongAnswers: ReadonlySet<string> = new Set([SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType])
const unsentCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])

/** The server has forgotten its session, and done nothing with the request. */
export function isForgotten(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404
}

/** The connection is of no more use. */
export function isLost(error: unknown): boolean {
  return isForgotten(error) || (error instanceof SdkError && lost.has(error.code)) || isNetworkError(error)
}

/** The server has answered, but not with a result. */
export function isWrongAnswer(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof SdkError && wrongAnswers.has(error.code))
}

/** The request has never left: there was no connection. */
export function wasNotSent(error: unknown): boolean {
  if (isForgotten(error)) return true
  if (error instanceof SdkHttpError) return error.status !== undefined && error.status >= 400 && error.status < 500
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return true
  let link = error
  for (let depth = 0; link instanceof Error && depth < 5; depth++) {
    if ('code' in link && typeof link.code === 'string' && unsentCodes.has(link.code)) return true
    link = link.cause
  }
  return false
}

/**
 * Whether a call that failed so may have taken effect: it was sent, and the server has not said how it ended. An error of
 * its own is its word, and so is one of ours that was found before anything was sent.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  if (error instanceof ProtocolError || (isBeachError(error) && !isNetworkError(error))) return false
  return !wasNotSent(error)
}

/** What `fetch`, or a guarded one, says of a connection that cannot be made, or breaks. */
function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError || isBeachError(error, 'UNREACHABLE')
}
