import { BeachError } from '@cool-ai/beach-core'
import type { Outgoing } from './outgoing.ts'

const redirects = new Set([301, 302, 303, 307, 308])

// Every other header may be the one that carries a key: each agent chooses its own.
const harmless = new Set(['accept', 'accept-language', 'user-agent', 'a2a-version', 'a2a-extensions'])

/** Where an answer redirects to; undefined when it is no redirect. */
export function locationOf(status: number, headers: { get(name: string): string | null }): string | undefined {
  return redirects.has(status) ? (headers.get('location') ?? undefined) : undefined
}

/** The request that follows a redirect, or why none does. Its address is checked elsewhere. */
export function redirected(outgoing: Outgoing, status: number, location: string): Outgoing {
  const { url, method, headers } = outgoing
  const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined
  if (next === undefined) throw refusedRedirect(url, 'to something that is not an address')
  if (url.protocol === 'https:' && next.protocol === 'http:') throw refusedRedirect(url, 'from https to http')
  const isSame = next.origin === url.origin
  if (method !== 'GET' && method !== 'HEAD') checkResend(outgoing, status, isSame)
  if (isSame) return { ...outgoing, url: next }
  const { ca } = outgoing.tls
  return { ...outgoing, url: next, headers: onlyHarmless(headers), tls: ca === undefined ? {} : { ca } }
}

function checkResend({ url, method, body }: Outgoing, status: number, isSame: boolean): void {
  const hint = 'Use the address that it redirects to'
  // Following these would turn a request that sends something into one that asks for something.
  if (status < 307) throw refusedRedirect(url, `a ${method} (${status}). ${hint}`)
  if (!isSame) throw refusedRedirect(url, `a ${method} to another origin. ${hint}`)
  if (body instanceof ReadableStream) throw refusedRedirect(url, `a ${method} whose body is sent only once. ${hint}`)
}

/** The error for a redirect that is not followed. */
export function refusedRedirect({ host }: URL, what: string): BeachError {
  return new BeachError('REDIRECT_REFUSED', `${host} redirects ${what}.`)
}

function onlyHarmless(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => harmless.has(name)))
}
