import { A2AError } from '@a2a-js/sdk/errors'
import { BeachError, isBeachError } from '@cool-ai/beach-core'

/**
 * What went wrong with a peer, in our words: what a peer writes into its errors is somebody else's text, and stays in
 * the cause.
 */
export function peerFailure(cause: unknown, peer: string, status: number | undefined): BeachError {
  if (isBeachError(cause))
    return new BeachError(cause.code, `${named(peer)}: ${cause.message}`, {
      cause,
      details: { ...cause.details, peer },
    })
  const known = a2aErrorOf(cause)
  if (known !== undefined) {
    const { reason } = known
    const details = { peer, reason, ...(status !== undefined && { status }) }
    const name = /^[A-Z_]{1,60}$/.test(reason) ? ` (${reason})` : ''
    return new BeachError('PEER_PROTOCOL', `${named(peer)} has answered with an error${name}.`, { cause, details })
  }
  if (status !== undefined && (status < 200 || status > 299)) {
    const details = { peer, status }
    return new BeachError('PEER_FAILED', `${named(peer)} has answered with HTTP status ${status}.`, { cause, details })
  }
  const message = `${named(peer)} has answered with something that A2A does not allow.`
  return new BeachError('PEER_PROTOCOL', message, { cause, details: { peer } })
}

/** Whether to try once more. */
export function isPassing(failure: BeachError): boolean {
  if (failure.code === 'UNREACHABLE') return true
  const { status } = failure.details
  return failure.code === 'PEER_FAILED' && typeof status === 'number' && (status >= 500 || status === 429)
}

/** Whether the peer does not let its tasks be followed, so that they must be asked for. */
export function isUnsupported(error: unknown): boolean {
  return a2aErrorOf(error)?.reason === 'UNSUPPORTED_OPERATION'
}

function a2aErrorOf(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error
  return error instanceof Error && error.cause instanceof A2AError ? error.cause : undefined
}

function named(peer: string): string {
  return `The agent '${peer}'`
}
