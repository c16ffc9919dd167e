import { BeachError } from '@cool-ai/beach-core'

const longestId = 1_000

/** Refuses ids that are no names: they are kept with every part, and go back to the peer with every request. */
export function checkPeerIds(...ids: readonly string[]): void {
  if (ids.every((id) => id.length <= longestId)) return
  throw new BeachError('PEER_PROTOCOL', `The peer has sent an id of more than ${longestId} characters.`)
}
