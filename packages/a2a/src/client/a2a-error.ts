import { A2AError } from '@a2a-js/sdk/errors'
import { peerFailure, type FailedResponse } from '@cool-ai/beach-channel/peers'
import type { BeachError } from '@cool-ai/beach-core'

/** What went wrong with a peer, in our words, with the reason that A2A has for it. */
export function a2aFailure(cause: unknown, peer: string, response: FailedResponse | undefined): BeachError {
  return peerFailure(cause, peer, response, a2aErrorOf(cause)?.reason)
}

/** Whether the peer does not let its tasks be followed, so that they must be asked for. */
export function isUnsupported(error: unknown): boolean {
  return a2aErrorOf(error)?.reason === 'UNSUPPORTED_OPERATION'
}

function a2aErrorOf(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error
  return error instanceof Error && error.cause instanceof A2AError ? error.cause : undefined
}
