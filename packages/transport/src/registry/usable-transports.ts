import { defined } from '@cool-ai/beach-core/runtime'
import type { CardTransport } from '@cool-ai/beach-protocol/agent-card'
import type { LocalTransport, PeerTransport, RefusedTransport } from './peer.ts'

/** Where a card's endpoints may be. */
export interface EndpointOrigins {
  /** Where the card came from; absent when the local configuration has it. */
  readonly card: string | undefined
  /** Other origins of its registrable domain. */
  readonly sameDomain: ReadonlySet<string>
  /** Origins that the local configuration allows. */
  readonly allow: readonly string[]
}

export interface SortedTransports {
  readonly accepted: readonly PeerTransport[]
  readonly refused: readonly RefusedTransport[]
}

/**
 * The transports of an agent: those that may be used, and those that its card names and that may not, with the reason.
 * Transports of the local configuration come first; where the card has the same endpoint, with the card's details.
 */
export function usableTransports(
  local: readonly LocalTransport[],
  named: readonly CardTransport[],
  origins: EndpointOrigins,
): SortedTransports {
  const rest = new Set(named)
  const listed = local.map((transport) => {
    const same = named.find(
      ({ protocol, endpoint }) => protocol === transport.protocol && endpoint === transport.endpoint,
    )
    if (same !== undefined) rest.delete(same)
    return listedTransport(transport, same)
  })
  const accepted: PeerTransport[] = [...listed]
  const refused: RefusedTransport[] = []
  for (const transport of rest) {
    const reason = problemOf(transport, origins)
    if (reason === undefined) accepted.push({ ...transport, source: 'card' })
    else refused.push({ transport, reason })
  }
  return { accepted, refused }
}

function listedTransport(local: LocalTransport, same: CardTransport | undefined): PeerTransport {
  const isA2a = local.protocol === 'a2a'
  const binding = isA2a ? 'JSONRPC' : undefined
  const { version = same?.version ?? (isA2a ? '1.0' : 'stable') } = local
  return defined({ requiredScopes: [], binding, ...same, ...local, version, source: 'local' })
}

// A card says where its agent is. It does not decide what runs on this machine, nor which hosts this machine calls.
function problemOf({ protocol, endpoint, transport }: CardTransport, origins: EndpointOrigins): string | undefined {
  const url = webUrl(endpoint)
  if (url === undefined || transport === 'stdio') {
    const entry = JSON.stringify({ protocol, endpoint })
    return `Its endpoint is not an address on the web. Add ${entry} to the peer's transports if you mean it.`
  }
  if (url.username !== '' || url.password !== '') return 'Its endpoint has credentials in it. They belong in a header.'
  const { card, sameDomain, allow } = origins
  if (allow.includes(url.origin) || url.origin === card || sameDomain.has(url.origin)) return undefined
  const advice = "Add it to the peer's allowOrigins if you mean it."
  if (card === undefined) return url.protocol === 'https:' ? undefined : `${url.origin} is not https. ${advice}`
  return `${url.origin} is not the origin of the card, ${card}, nor on its domain by https. ${advice}`
}

/** The origin of an endpoint on the web, a socket's included; undefined for any other. */
export function originOf(endpoint: string): string | undefined {
  return webUrl(endpoint)?.origin
}

function webUrl(endpoint: string): URL | undefined {
  if (!URL.canParse(endpoint)) return undefined
  // A socket begins as a request to the same origin.
  const url = new URL(endpoint.replace(/^ws(s?):/i, 'http$1:'))
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined
}
