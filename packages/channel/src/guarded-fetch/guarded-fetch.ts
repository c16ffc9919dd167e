import { systemClock, type Clock } from '@cool-ai/beach-core'
import { reachedKinds } from './address-kind.ts'
import { literalRefusal, type ResolveHost, type TlsIdentity } from './checked-connector.ts'
import { checkUrl } from './check-url.ts'
import { Connections } from './connections.ts'
import { Deadline } from './deadline.ts'
import { unreachable } from './failures.ts'
import { defaultLimits, withLimits, type FetchLimits } from './limits.ts'
import { parseOrigin } from './origin.ts'
import { toOutgoing, type Outgoing } from './outgoing.ts'
import { locationOf, redirected, refusedRedirect } from './redirect.ts'
import { toResponse } from './to-response.ts'

export { streamLimits, type FetchLimits } from './limits.ts'
export type { ResolveHost, TlsIdentity } from './checked-connector.ts'

/** What one request may do beyond the defaults. */
export interface RequestGuard {
  /** Further origins that this request may reach although they are not public, or not https. */
  readonly allow?: readonly string[] | undefined
  /** The only origins that this request, and its redirects, may reach; any unless given. */
  readonly only?: readonly string[] | undefined
  readonly limits?: Partial<FetchLimits> | undefined
  /** How many redirects are followed. */
  readonly redirects?: number | undefined
}

/** As `fetch` takes it, with a guard and a TLS identity of its own. */
export interface GuardedRequestInit extends RequestInit {
  readonly guard?: RequestGuard | undefined
  readonly tls?: TlsIdentity | undefined
}

/** A `fetch` for addresses that another party chose; fits everywhere a `fetch` is expected. */
export interface GuardedFetch {
  (input: string | URL | Request, init?: GuardedRequestInit): Promise<Response>
  /** Throws why this address would be refused, as far as that can be seen without looking up its host. */
  check(url: URL): void
  /** Ends all connections, and the requests that are in progress. */
  close(): Promise<void>
}

/** Where a guarded fetch may connect, and its limits. */
export interface GuardedFetchOptions {
  /** Origins, such as `http://127.0.0.1:4748`, that may be reached although they are not public, or not https. */
  readonly allow?: readonly string[] | undefined
  readonly limits?: Partial<FetchLimits> | undefined
  /** How many redirects are followed; 3 unless given. */
  readonly redirects?: number | undefined
  /** The system's resolver unless given. Its answer is checked, and then connected to. */
  readonly resolve?: ResolveHost | undefined
  readonly clock?: Clock | undefined
  readonly tls?: TlsIdentity | undefined
}

/**
 * A `fetch` that reaches public addresses and allowed origins only, and gives up on servers that are slow or send too much.
 * Throws a BeachError: ADDRESS_REFUSED, REDIRECT_REFUSED, UNREACHABLE, TIMEOUT, TOO_LARGE; when the caller's signal
 * aborts, its reason.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { clock = systemClock, redirects = 3, tls = {} } = options
  const allow = (options.allow ?? []).map(parseOrigin)
  const limits = withLimits(defaultLimits, options.limits)
  const connections = new Connections(options.resolve)

  const run = async (input: string | URL | Request, init: GuardedRequestInit = {}): Promise<Response> => {
    const { guard = {} } = init
    const outgoing = await toOutgoing(input, { ...init, tls: { ...tls, ...init.tls } })
    const bounds = withLimits(limits, guard.limits)
    const hop: Hop = {
      connections,
      bytes: bounds.bytes,
      allow: new Set([...allow, ...(guard.allow ?? []).map(parseOrigin)]),
      only: guard.only && new Set(guard.only.map(parseOrigin)),
      redirects: guard.redirects ?? redirects,
      deadline: new Deadline(clock, bounds, outgoing.url.host, outgoing.signal),
    }
    try {
      return await follow(outgoing, hop)
    } catch (error) {
      hop.deadline.end(error)
      throw hop.deadline.signal.reason
    }
  }

  const allowed = new Set(allow)
  return Object.assign(run, {
    check(url: URL) {
      checkUrl(url, allowed, undefined)
      const refusal = literalRefusal(url.hostname.replace(/^\[(.*)\]$/, '$1'), reachedKinds(allowed.has(url.origin)))
      if (refusal !== undefined) throw refusal
    },
    close: async () => connections.close(),
  })
}

interface Hop {
  readonly connections: Connections
  readonly deadline: Deadline
  readonly bytes: number
  readonly allow: ReadonlySet<string>
  readonly only: ReadonlySet<string> | undefined
  readonly redirects: number
}

async function follow(first: Outgoing, hop: Hop): Promise<Response> {
  let outgoing = first
  for (let count = 0; ; count++) {
    const answer = await send(outgoing, hop)
    const location = first.redirect === 'manual' ? undefined : locationOf(answer.status, answer.headers)
    if (location === undefined) return toResponse(answer, { ...hop, url: outgoing.url, isRedirected: count > 0 })
    await answer.body?.cancel()
    if (first.redirect === 'error') throw refusedRedirect(outgoing.url, 'although no redirect is wanted')
    if (count >= hop.redirects) throw refusedRedirect(outgoing.url, `further than ${hop.redirects} times`)
    outgoing = redirected(outgoing, answer.status, location)
  }
}

async function send({ url, method, headers, body, tls }: Outgoing, { connections, deadline, allow, only }: Hop) {
  checkUrl(url, allow, only)
  const { signal } = deadline
  const init = { method, body, duplex: 'half', redirect: 'manual', signal } as const
  try {
    return await connections.fetch(allow.has(url.origin), tls, url.href, { ...init, headers: [...headers] })
  } catch (error) {
    throw unreachable(url.host, error)
  }
}
