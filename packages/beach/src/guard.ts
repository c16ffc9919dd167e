import { hasForeignOrigin } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The names by which the agent may be called, and the address of its own pages. */
export interface Site {
  readonly hosts?: readonly string[] | undefined
  readonly publicUrl?: string | undefined
}

/**
 * Refuses requests that name another host (a foreign page that had its name point here), and changes that another
 * origin's page asks for with the user's cookie, and new sessions of guests. A connection that is upgraded can change
 * things, though it is asked for by GET. Channels that pages may call have rules of their own.
 */
export function guard(request: Request, url: URL, { hosts = [], publicUrl }: Site, isUpgrade = false): void {
  const { hostname, pathname } = url
  if (!loopback.has(hostname) && !hosts.includes(hostname)) {
    throw new BeachError('WRONG_HOST', 'This agent does not answer to that host name. Add it to `hosts` if it should.')
  }
  const safe = !isUpgrade && (request.method === 'GET' || request.method === 'HEAD')
  if (safe || !hasForeignOrigin(request, publicUrl)) return
  const isNewGuest = pathname === '/sessions' && !request.headers.has('authorization')
  if (request.headers.has('cookie') || isNewGuest) {
    throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
  }
}
