import { isIPv6 } from 'node:net'
import { LruMap } from '@cool-ai/beach-core/runtime'
import { RequestNote } from './request-note.ts'

// A Web-standard request says nothing of its connection; its server notes where that comes from.
const noted = new RequestNote<() => string | undefined>('remote address')

/** Notes for a request how to read the address that its connection comes from. For servers of requests. */
export function noteRemoteAddress(request: Request, read: () => string | undefined): void {
  noted.set(request, read)
}

/** The address that was noted for a request. */
export function readRemoteAddress(request: Request): string | undefined {
  return noted.get(request)?.()
}

/** Where a request comes from, where the server noted it: an IPv4 address, or the network of an IPv6 address. */
export function remoteNetwork(request: Request): string | undefined {
  const address = readRemoteAddress(request)
  return address === undefined ? undefined : networkOf(address)
}

// Most requests come from where one came from before.
const known = new LruMap<string>(1_000)

/** The owner of an IPv6 address has 2^64 of them; they count as one. */
export function networkOf(address: string): string {
  const before = known.get(address)
  if (before !== undefined) return before
  const network = makeNetwork(address)
  known.set(address, network)
  return network
}

function makeNetwork(address: string): string {
  const inside = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (inside !== undefined) return inside
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const [head = '', tail = ''] = plain.toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = plain.includes('::') ? Array.from({ length: 8 - first.length - last.length }, () => '0') : []
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
