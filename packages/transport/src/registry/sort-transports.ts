import type { CardTransport } from '@cool-ai/beach-protocol/agent-card'
import type { LocalTransport, PeerTransport, RefusedTransport } from './peer.ts'

/**
 * A card's ways to reach its agent: those that may be used, and those that may not, with the reason. `cardOrigin` is
 * where the card came from; absent when the local configuration has it.
 */
export function sortTransports(
  transports: readonly CardTransport[],
  cardOrigin: string | undefined,
  allow: readonly string[],
): { readonly accepted: readonly PeerTransport[]; readonly refused: readonly RefusedTransport[] } {
  const accepted: PeerTransport[] = []
  const refused: RefusedTransport[] = []
  for (const transport of transports) {
    const reason = problemOf(transport, cardOrigin, allow)
    if (reason === undefined) accepted.push({ ...transport, source: 'card' })
    else refused.push({ transport, reason })
  }
  return { accepted, refused }
}

// A card says where its agent is. It does not say what runs on this machine, nor whom this machine turns to.
function problemOf(
  { endpoint, transport }: CardTransport,
  cardOrigin: string | undefined,
  allow: readonly string[],
): string | undefined {
  const url = webUrl(endpoint)
  if (url === undefined || transport === 'stdio') {
    return "Its endpoint is not an address on the web. List it among the peer's transports if you mean it."
  }
  if (url.username !== '' || url.password !== '') return 'Its endpoint has credentials in it. They belong in a header.'
  if (allow.includes(url.origin)) return undefined
  const isOwn = cardOrigin === undefined ? url.protocol === 'https:' : cardOrigin === url.origin
  if (isOwn) return undefined
  const what = cardOrigin === undefined ? 'is not https' : `is not the origin of the card, ${cardOrigin}`
  return `${url.origin} ${what}. Add it to the peer's allowOrigins if you mean it.`
}

/** A way to reach a peer that the local configuration has named. */
export function toPeerTransport(local: LocalTransport): PeerTransport {
  const isA2a = local.protocol === 'a2a'
  const defaults = { version: isA2a ? '1.0' : 'stable', requiredScopes: [], ...(isA2a ? { binding: 'JSONRPC' } : {}) }
  return { ...defaults, ...local, source: 'local' }
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
