import { credentialsFor, type CallableTransport, type CredentialsForOptions } from './credentials-for.ts'
import type { PeerCredentials } from './peer-credentials.ts'

/** What must be known of a peer to find its secrets; a peer of the agent registry is one. */
export interface CalledPeer {
  readonly id: string
  /** The name under which the source has its secrets; its id when left out. */
  readonly credentials?: string | undefined
  readonly guard?: { readonly allow?: readonly string[] | undefined } | undefined
}

// Cards change, and their publishers decide how often.
const maxEntries = 500

/** The credentials for the transports of all peers, each made once, so that tokens last from one call to the next. */
export function credentialsOfPeers(
  options: Omit<CredentialsForOptions, 'peer' | 'allow'>,
): (peer: CalledPeer, transport: CallableTransport) => PeerCredentials {
  const kept = new Map<string, PeerCredentials>()
  return ({ id, credentials: name = id, guard }, transport) => {
    const { endpoint, auth, requiredScopes } = transport
    const allow = guard?.allow ?? []
    const key = JSON.stringify([name, endpoint, auth, requiredScopes, allow])
    const found = kept.get(key) ?? credentialsFor(transport, { ...options, peer: name, allow })
    kept.set(key, found)
    const [oldest] = kept.keys()
    if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest)
    return found
  }
}
