import { BeachError, type SessionView } from '@cool-ai/beach-core'
import { fromMessageMetadata } from './message-metadata.ts'

/** How many agents a request may come through before it reaches another one. */
export const maxHops = 4

/**
 * The agents that a message has come through, for `via` of its originator; refuses a message that has come through too
 * many, or through this agent before.
 */
export function checkHops(
  metadata: Readonly<Record<string, unknown>> | undefined,
  ownId: string,
  limit: number = maxHops,
): readonly string[] {
  const { hops } = fromMessageMetadata(metadata)
  refuseHops(hops, ownId, limit)
  return hops
}

/** The chain that goes out with a call of `peer`: all whom the session's messages have come through, and this agent. */
export function hopsTo(peer: string, session: SessionView, ownId: string, limit: number = maxHops): readonly string[] {
  const before = session.originators.flatMap(({ via = [] }) => via).filter((id) => id !== ownId)
  const hops = [...new Set(before), ownId]
  refuseHops(hops, peer, limit)
  return hops
}

function refuseHops(hops: readonly string[], next: string, limit: number): void {
  if (hops.includes(next)) {
    throw new BeachError(
      'TOO_MANY_HOPS',
      `The request has come through '${next}' before: it would go round in a circle.`,
    )
  }
  if (hops.length > limit) {
    throw new BeachError('TOO_MANY_HOPS', `The request has come through ${hops.length} agents; ${limit} are allowed.`)
  }
}
