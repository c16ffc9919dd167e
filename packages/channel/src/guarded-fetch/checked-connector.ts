import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import nodeTls from 'node:tls'
import type { buildConnector } from 'undici'
import { addressKind, type AddressKind } from './address-kind.ts'
import { refused } from './failures.ts'

/** Every address of a host name, as IP addresses. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

/** The own identity in TLS, and the authorities that are trusted besides the usual ones; all in PEM. */
export interface TlsIdentity {
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly passphrase?: string | undefined
  readonly ca?: string | undefined
}

export interface ConnectorOptions {
  /** The kinds of addresses that are connected to. */
  readonly kinds: readonly AddressKind[]
  readonly resolve?: ResolveHost | undefined
  readonly tls: TlsIdentity
}

const connectMs = 10_000

/** Connects to addresses of these kinds. The address that was looked up and checked is the one that is connected to. */
export function checkedConnector(build: typeof buildConnector, options: ConnectorOptions): buildConnector.connector {
  const { kinds, resolve = resolveBySystem, tls } = options
  const ca = tls.ca === undefined ? {} : { ca: [...nodeTls.getCACertificates('default'), tls.ca] }
  const connect = build({ ...tls, ...ca, timeout: connectMs, lookup: checkedLookup(resolve, kinds) })
  return (target, callback) => {
    const refusal = literalRefusal(target.hostname, kinds)
    if (refusal === undefined) connect(target, callback)
    else callback(refusal, null)
  }
}

/** Why a host that is given as an address, which is never looked up, is not connected to. */
export function literalRefusal(hostname: string, kinds: readonly AddressKind[]): Error | undefined {
  return isIP(hostname) === 0 ? undefined : refusalOf(hostname, [hostname], kinds)
}

function checkedLookup(resolve: ResolveHost, kinds: readonly AddressKind[]): LookupFunction {
  const find = async (...[hostname, { all }, callback]: Parameters<LookupFunction>) => {
    try {
      const addresses = await resolve(hostname)
      const refusal = refusalOf(hostname, addresses, kinds)
      if (refusal !== undefined) throw refusal
      const found = addresses.map((address) => ({ address, family: isIP(address) }))
      if (all) callback(null, found)
      else callback(null, found[0]?.address ?? '', found[0]?.family)
    } catch (error) {
      callback(error as Error, [])
    }
  }
  return (...call) => void find(...call)
}

/** Why a host is not connected to: one wrong address is enough. */
function refusalOf(hostname: string, addresses: readonly string[], kinds: readonly AddressKind[]): Error | undefined {
  if (addresses.length === 0) return Object.assign(new Error('no addresses'), { code: 'ENOTFOUND' })
  const found = addresses.map(addressKind).filter((kind) => !kinds.includes(kind))
  if (found.length === 0) return undefined
  if (found.includes('forbidden')) {
    return refused('reserved', `The address of ${hostname} is reserved, and nothing may be fetched from there.`)
  }
  return refused('not-public', `The address of ${hostname} is not public. Allow its origin if you mean it.`)
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  const found = await systemLookup(hostname, { all: true })
  return found.map(({ address }) => address)
}
