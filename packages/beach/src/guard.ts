import { foreignOrigin, hasForeignOrigin, isProbe, listedOrigin, refusedOrigin } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The names by which the agent may be called, and the address of its own pages. */
export interface Site {
  readonly hosts?: readonly string[] | undefined
  readonly publicUrl?: string | undefined
  /** Origins of other sites whose pages may call. */
  readonly origins?: readonly string[] | undefined
}

/**
 * Refuses requests that name another host (a foreign page that had its name point here), and changes that the page of an
 * unlisted origin asks for with the user's cookie, and new sessions of guests. Probes are answered under any name. A connection that is upgraded can change
 * things, though it is asked for by GET. Gives the origin of a page that may call because it is listed.
 */
export function guard(request: Request, url: URL, site: Site, isUpgrade = false): string | undefined {
  const { hosts = [], publicUrl } = site
  const { hostname, pathname } = url
  const isSafe = !isUpgrade && safeMethods.has(request.method)
  const isKnownHost = loopback.has(hostname) || hosts.includes(hostname)
  if (!isKnownHost && !(isSafe && isProbe(pathname))) {
    throw new BeachError(
      'WRONG_HOST',
      'This agent does not answer to that host name. Set `publicUrl`, or add it to `access.hosts`, if it should.',
    )
  }
  // Only pages name an origin.
  if (!request.headers.has('origin')) return undefined
  const listed = listedOrigin(request, site)
  if (listed !== undefined || isSafe || !hasForeignOrigin(request, publicUrl)) return listed
  const isNewGuest = pathname === '/sessions' && !request.headers.has('authorization')
  if (request.headers.has('cookie') || isNewGuest) {
    throw refusedOrigin(request.headers.get('origin') ?? '')
  }
  return undefined
}

/** Refuses what the page of an unlisted origin asks for: what a browser adds by itself to its requests proves nothing. */
export function refuseUnlisted(request: Request, site: Site): void {
  if (!safeMethods.has(request.method)) foreignOrigin(request, site)
}
