import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressKind } from './address-kind.ts'

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '93.184.215.14',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.0.1.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '11.0.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '168.63.129.15',
  '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2a00:1450:4009:81f::200e',
  '3ffe::1',
])('%s is public', (address) => {
  expect(addressKind(address)).toBe('public')
})

test.each([
  '10.0.0.1',
  '10.255.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '192.88.99.1',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fc00::1',
  'fdff:ffff::1',
  '2001:db8::1',
  '3fff::1',
  '3fff:fff:ffff::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:10.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::10.0.0.1',
  '2002:7f00:1::',
  '2002:808:808::1',
])('%s is in a private network', (address) => {
  expect(addressKind(address)).toBe('internal')
})

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::0.0.0.0',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '100::1',
  '5f00::1',
  '4000::1',
  'e000::1',
])('nothing is fetched from %s', (address) => {
  expect(addressKind(address)).toBe('forbidden')
})

test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '[::1]', '1.2.3.4.5', ':::', '12345::', '1.2.3.4\n'])(
  '%j is not an address, and so nothing is fetched from it',
  (text) => {
    expect(addressKind(text)).toBe('forbidden')
  },
)

const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(byte, byte, byte, byte)
const group = fc.integer({ min: 0, max: 0xffff })
const groups = fc.array(group, { minLength: 8, maxLength: 8 })

const dotted = (bytes: readonly number[]) => bytes.join('.')
const hex = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]) =>
  `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`

/** What RFC 6890 and its followers say of IPv4, in another form than the code's. */
function isPublicIpv4([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if (a === 100) return b < 64 || b > 127
  if (a === 168) return !(b === 63 && c === 129 && d === 16)
  if (a === 169) return b !== 254
  if (a === 172) return b < 16 || b > 31
  if (a === 192) return !(b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))
  if (a === 198) return !(b === 18 || b === 19 || (b === 51 && c === 100))
  return !(a === 203 && b === 0 && c === 113)
}

describe('whatever the address', () => {
  test('of IPv4 exactly the ranges are refused', () => {
    const nearEdges = fc.tuple(
      fc.constantFrom(0, 9, 10, 11, 100, 126, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 240, 255),
      fc.constantFrom(0, 15, 16, 17, 18, 19, 20, 31, 32, 51, 63, 64, 88, 100, 127, 128, 168, 253, 254, 255),
      fc.constantFrom(0, 1, 2, 99, 100, 113, 129, 169, 255),
      fc.constantFrom(0, 1, 16, 200, 254, 255),
    )
    fc.assert(
      fc.property(fc.oneof(ipv4, nearEdges), (bytes) => {
        expect(addressKind(dotted(bytes)) === 'public').toBe(isPublicIpv4(bytes))
      }),
      { numRuns: 3_000 },
    )
  })

  test('IPv4 inside IPv6 is never public, and forbidden where it is forbidden by itself', () => {
    fc.assert(
      fc.property(ipv4, (bytes) => {
        const forms = [
          `::ffff:${dotted(bytes)}`,
          `::ffff:${hex(bytes)}`,
          `0:0:0:0:0:ffff:${hex(bytes)}`,
          `64:ff9b::${dotted(bytes)}`,
          `::ffff:0:${hex(bytes)}`,
          `2002:${hex(bytes)}::1`,
        ]
        const kind = addressKind(dotted(bytes)) === 'forbidden' ? 'forbidden' : 'internal'
        for (const form of forms) expect(addressKind(form), form).toBe(kind)
      }),
      { numRuns: 1_000 },
    )
  })

  test('an IPv6 address is the same in every notation', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const full = parts.map((part) => part.toString(16).padStart(4, '0')).join(':')
        const short = new URL(`http://[${full}]/`).hostname.slice(1, -1)
        expect(addressKind(short)).toBe(addressKind(full))
        expect(addressKind(full.toUpperCase())).toBe(addressKind(full))
        expect(addressKind(`${full}%1`)).toBe(addressKind(full))
      }),
      { numRuns: 1_000 },
    )
  })

  test('outside 2000::/3 nothing is public', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const address = parts.map((part) => part.toString(16)).join(':')
        const first = parts[0] ?? 0
        if (first < 0x2000 || first > 0x3fff) expect(addressKind(address)).not.toBe('public')
      }),
      { numRuns: 1_000 },
    )
  })

  test('no text is taken for an address by mistake, and none throws', () => {
    fc.assert(fc.property(fc.string(), (text) => ['public', 'internal', 'forbidden'].includes(addressKind(text))))
  })
})
