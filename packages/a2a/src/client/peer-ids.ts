import { BeachError } from '@cool-ai/beach-core'

const maxIdLength = 1_000

/** Refuses ids that are no names: they are kept with every part, and go back to the peer with every request. */
export function checkPeerIds(...ids: readonly string[]): void {
  if (ids.every((id) => id.length <= maxIdLength)) return
  throw new BeachError('PEER_PROTOCOL', `The peer has sent an id of more than ${maxIdLength} characters.`)
}
