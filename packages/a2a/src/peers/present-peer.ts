import type { CallablePeer, Peers } from '@cool-ai/beach-channel/peers'
import { BeachError } from '@cool-ai/beach-core'

/** The peer as it is now; one whose card was not to be had before may have one by now. */
export async function presentPeer(peers: Peers, id: string, signal: AbortSignal): Promise<CallablePeer> {
  const peer = peers.byId(id) ?? (await peers.current?.(id, { signal }))
  if (peer !== undefined) return peer
  const message = `The agent '${id}' cannot be reached right now: its card is not known.`
  throw new BeachError('UNREACHABLE', message, { details: { peer: id } })
}
