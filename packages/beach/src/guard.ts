import { hasForeignOrigin } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** By which names the agent may be called, and where its own pages are. */
export interface Site {
  readonly hosts?: readonly string[] | undefined
  readonly publicUrl?: string | undefined
}

/**
 * Refuses requests that name another host (a foreign page that had its name point here), and changes that another
 * origin's page asks for with the user's cookie, or of other agents' tasks, and new sessions of guests. A connection that
 * is upgraded can change things, though it is asked for by GET.
 */
export function guard(request: Request, url: URL, { hosts = [], publicUrl }: Site, isUpgrade = false): void {
  const { hostname, pathname } = url
  if (!loopback.has(hostname) && !hosts.includes(hostname)) {
    throw new BeachError('WRONG_HOST', 'This agent does not answer to that host name. Add it to `hosts` if it should.')
  }
  const safe = !isUpgrade && (request.method === 'GET' || request.method === 'HEAD')
  if (safe || !hasForeignOrigin(request, publicUrl)) return
  // Agents have no origin: an A2A caller with one is a page, and ours do not call it.
  const isForAgents = pathname === '/a2a' || pathname.startsWith('/a2a/')
  const isNewGuest = pathname === '/sessions' && !request.headers.has('authorization')
  if (request.headers.has('cookie') || isForAgents || isNewGuest) {
    throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
  }
}
