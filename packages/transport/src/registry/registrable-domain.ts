/**
 * Those of the origins that are on the same registrable domain as an address, by https: `https://example.com` and
 * `https://api.example.com` for `https://travel.example.com/card.json`. Hosts of one platform (`a.github.io`,
 * `b.github.io`) are strangers to each other, and so are hosts under a name that the public suffix list does not have.
 */
export async function originsOfSameDomain(address: string, origins: readonly string[]): Promise<ReadonlySet<string>> {
  const { origin, protocol, hostname } = new URL(address)
  const others = origins.filter((other) => other !== origin && other.startsWith('https:'))
  if (protocol !== 'https:' || others.length === 0) return new Set()
  // The list is long; most cards do not need it.
  const { parse } = await import('tldts')
  const domainOf = (host: string) => {
    const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
    return isIcann === true || isPrivate === true ? domain : null
  }
  const own = domainOf(hostname)
  if (own === null) return new Set()
  return new Set(others.filter((other) => domainOf(new URL(other).hostname) === own))
}
