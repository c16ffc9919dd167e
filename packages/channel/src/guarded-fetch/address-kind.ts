import { BlockList, isIP } from 'node:net'

/**
 * Who may be at an address: any host on the internet; a host of our own network, which must be allowed; or a service
 * that no request of ours is for, such as the one that hands out a cloud machine's credentials.
 */
export type AddressKind = 'public' | 'internal' | 'forbidden'

/** The kinds of hosts to connect to: for an allowed origin, those of our own network too. */
export function reachedKinds(isAllowed: boolean): readonly AddressKind[] {
  return isAllowed ? ['public', 'internal'] : ['public']
}

const metadata = ['168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::/32', 'fd20:ce::/32']
const linkLocal = ['169.254.0.0/16', 'fe80::/10', 'fec0::/10']
const noDestination = ['0.0.0.0/8', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8', '2001::/23']
const ownNetwork = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
const ownNetwork6 = ['::1/128', 'fc00::/7']
const documentation = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']
const oddities = ['192.88.99.0/24', '198.18.0.0/15']

const forbidden = blockList([...metadata, ...linkLocal, ...noDestination])
const internal = blockList([...ownNetwork, ...ownNetwork6, ...documentation, ...oddities])
// IPv4 inside IPv6: mapped (where BlockList applies the rules of IPv4 too), compatible, translated (twice), 6to4.
const embedding = blockList(['::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '2002::/16'])
const embeddedForbidden = blockList([...metadata, ...linkLocal, ...noDestination].filter(isIpv4Range).flatMap(embedded))
const globalUnicast = blockList(['2000::/3'])

/** Who may be at an IP address; what is not an address is forbidden. */
export function addressKind(text: string): AddressKind {
  // A zone only says which network card to use.
  const address = text.split('%', 1)[0] ?? ''
  const family = isIP(address)
  if (family === 0) return 'forbidden'
  const isIn = (list: BlockList) => list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  if (isIn(forbidden)) return 'forbidden'
  if (isIn(internal)) return 'internal'
  if (family === 4) return 'public'
  if (isIn(embeddedForbidden)) return 'forbidden'
  // Such addresses are never published: they only serve to get around the ranges above.
  if (isIn(embedding)) return 'internal'
  // Only this much of IPv6 is assigned; the rest is not the web of today.
  return isIn(globalUnicast) ? 'public' : 'forbidden'
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', bits = ''] = range.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

function isIpv4Range(range: string): boolean {
  return range.includes('.')
}

/** The ranges of IPv6 in which a range of IPv4 is embedded. */
function embedded(range: string): string[] {
  const [base = '', bits = ''] = range.split('/')
  const [a = 0, b = 0, c = 0, d = 0] = base.split('.').map(Number)
  const inside = ['::', '::ffff:0:', '64:ff9b::'].map((prefix) => `${prefix}${base}/${96 + Number(bits)}`)
  return [...inside, `2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::/${16 + Number(bits)}`]
}
