import { BeachError, isBeachError } from '@cool-ai/beach-core'

/** What is known of the response that an error came with. */
export interface FailedResponse {
  readonly status: number
  /** How long the peer asks to wait, when it says so. */
  readonly retryAfterMs?: number | undefined
}

/**
 * A peer's failure, in our words: the text of a peer's error is foreign, and stays in the cause. `reason` is the name
 * of the error by the protocol, where it has one.
 */
export function peerFailure(
  cause: unknown,
  peer: string,
  response: FailedResponse | undefined,
  reason?: string,
): BeachError {
  if (isBeachError(cause))
    return new BeachError(cause.code, `${named(peer)}: ${cause.message}`, {
      cause,
      details: { ...cause.details, peer },
    })
  const status = response?.status
  if (response !== undefined && (status === 429 || status === 503)) return refusal(cause, peer, response)
  // A generic error says less than the status does.
  const isHttp = status !== undefined && (status < 200 || status > 299)
  if (reason !== undefined && !(isHttp && reason === 'INTERNAL_ERROR')) {
    const details = { peer, reason, status }
    const name = /^[A-Z_]{1,60}$/.test(reason) ? ` (${reason})` : ''
    return new BeachError('PEER_PROTOCOL', `${named(peer)} has answered with an error${name}.`, { cause, details })
  }
  if (isHttp) {
    const details = { peer, status }
    const message = `${named(peer)} has answered with HTTP status ${status}.${adviceFor(status)}`
    return new BeachError('PEER_FAILED', message, { cause, details })
  }
  const message = `${named(peer)} has answered with something that its protocol does not allow.`
  return new BeachError('PEER_PROTOCOL', message, { cause, details: { peer } })
}

function adviceFor(status: number): string {
  if (status === 401) return ' It wants a credential, or another one: check what is configured for it.'
  return status === 403 ? ' It knows who is calling, and does not allow this: ask it for the scope that is needed.' : ''
}

/** The peer takes no requests now: too many of ours, or none at all. */
function refusal(cause: unknown, peer: string, { status, retryAfterMs }: FailedResponse): BeachError {
  const isBusy = status === 429
  const advice = retryAfterMs === undefined ? '' : ` It says to try again in ${Math.ceil(retryAfterMs / 1_000)} s.`
  const what = isBusy ? 'takes no more requests of ours for now' : 'takes no requests at the moment'
  return new BeachError(isBusy ? 'PEER_BUSY' : 'PEER_UNAVAILABLE', `${named(peer)} ${what}.${advice}`, {
    cause,
    details: { peer, status, retryAfterMs },
  })
}

/** Whether to try once more. */
export function isPassing(failure: BeachError): boolean {
  if (failure.code === 'UNREACHABLE' || isRefusal(failure)) return true
  const { status } = failure.details
  return failure.code === 'PEER_FAILED' && typeof status === 'number' && status >= 500
}

/** Whether the peer has refused a request, for now. */
export function isRefusal({ code }: BeachError): boolean {
  return code === 'PEER_BUSY' || code === 'PEER_UNAVAILABLE'
}

/**
 * How long to wait before a request is repeated that the peer has not acted on; undefined when it may have acted on it
 * after all. A peer that counts requests, or names a time, has looked at the request and no further.
 */
export function untouchedFor({ code, details }: BeachError): number | undefined {
  const { retryAfterMs } = details
  if (typeof retryAfterMs === 'number') return retryAfterMs
  return code === 'PEER_BUSY' ? 0 : undefined
}

function named(peer: string): string {
  return `The agent '${peer}'`
}
