import { isIP } from 'node:net'

/** An IP address as a number of 32 or 128 bits. */
export interface IpAddress {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Reads an IP address in any notation that resolvers and URLs give; undefined when it is none. */
export function parseIpAddress(text: string): IpAddress | undefined {
  // A zone only says which network card to use.
  const address = text.split('%', 1)[0] ?? ''
  switch (isIP(address)) {
    case 4:
      return { bits: 32, value: fromDotted(address) }
    case 6:
      return { bits: 128, value: fromGroups(address) }
    default:
      return undefined
  }
}

function fromDotted(address: string): bigint {
  return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function fromGroups(address: string): bigint {
  const [before = '', after] = address.split('::')
  const head = groupsOf(before)
  const tail = groupsOf(after ?? '')
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0n)
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | group, 0n)
}

function groupsOf(text: string): bigint[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const value = fromDotted(group)
    return [value >> 16n, value & 0xffffn]
  })
}

/** A range of addresses that begin with the same bits. */
export interface IpRange {
  readonly bits: 32 | 128
  readonly prefix: bigint
  /** How many bits may differ. */
  readonly free: bigint
}

/** A range as it is written, such as `10.0.0.0/8`; only for our own constants. */
export function ipRange(text: string): IpRange {
  const [base = '', length = ''] = text.split('/')
  const address = parseIpAddress(base)
  if (address === undefined) throw new TypeError(`${text} is not a range of addresses`)
  const free = BigInt(address.bits - Number(length))
  return { bits: address.bits, prefix: address.value >> free, free }
}

/** Whether an address lies in a range. */
export function isInRange({ bits, value }: IpAddress, range: IpRange): boolean {
  return bits === range.bits && value >> range.free === range.prefix
}
