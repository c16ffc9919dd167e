import { ipRange, isInRange, parseIpAddress, type IpAddress } from './ip-address.ts'

/**
 * Who may be at an address: anybody on the internet; somebody in our own network, who must be allowed; or something
 * that no request of ours is for, such as the service that hands out a cloud machine's credentials.
 */
export type AddressKind = 'public' | 'internal' | 'forbidden'

/** Who is connected to: with an origin that was allowed, those of our own network too. */
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

const forbidden = [...metadata, ...linkLocal, ...noDestination].map(ipRange)
const internal = [...ownNetwork, ...ownNetwork6, ...documentation, ...oddities].map(ipRange)
const globalUnicast = ipRange('2000::/3')

// IPv4 inside IPv6, and how far from the end: mapped, compatible, translated (twice), 6to4.
const embedding = [
  { range: ipRange('::ffff:0:0/96'), shift: 0n },
  { range: ipRange('::/96'), shift: 0n },
  { range: ipRange('::ffff:0:0:0/96'), shift: 0n },
  { range: ipRange('64:ff9b::/96'), shift: 0n },
  { range: ipRange('2002::/16'), shift: 80n },
]

/** Who may be at an IP address; what is not an address is forbidden. */
export function addressKind(text: string): AddressKind {
  const address = parseIpAddress(text)
  return address === undefined ? 'forbidden' : kindOf(address)
}

function kindOf(address: IpAddress): AddressKind {
  const isIn = (ranges: typeof forbidden) => ranges.some((range) => isInRange(address, range))
  if (isIn(forbidden)) return 'forbidden'
  if (isIn(internal)) return 'internal'
  const inner = embeddedAddress(address)
  // Nobody publishes such an address: who names one wants to get around the ranges above.
  if (inner !== undefined) return kindOf(inner) === 'forbidden' ? 'forbidden' : 'internal'
  // Of IPv6 only this much is given out; whatever the rest becomes one day, it is not the web of today.
  return address.bits === 32 || isInRange(address, globalUnicast) ? 'public' : 'forbidden'
}

function embeddedAddress(address: IpAddress): IpAddress | undefined {
  const found = embedding.find(({ range }) => isInRange(address, range))
  return found && { bits: 32, value: (address.value >> found.shift) & 0xffff_ffffn }
}
