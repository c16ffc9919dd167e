import type { PeerListing } from './peer.ts'

/** Where a listed peer's card is fetched from; undefined when the listing has the card itself. */
export function cardAddress({ url, cardUrl }: PeerListing): string | undefined {
  const given = cardUrl ?? url
  if (given === undefined) return undefined
  const address = new URL(given)
  const isFolder = cardUrl === undefined && address.pathname.endsWith('/') && address.search === ''
  return isFolder ? new URL('.well-known/agent-card.json', address).href : address.href
}
