import { BeachError } from '@cool-ai/beach-core'

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Refuses requests that name another host (a foreign page that had its name point here), and changes that another
 * origin's page asks for with the user's cookie.
 */
export function guard(request: Request, hosts: readonly string[] = []): void {
  const { hostname, host } = new URL(request.url)
  if (![...loopback, ...hosts].includes(hostname)) {
    throw new BeachError('WRONG_HOST', 'This agent does not answer to that host name. Add it to `hosts` if it should.')
  }
  const origin = request.headers.get('origin')
  const safe = request.method === 'GET' || request.method === 'HEAD'
  if (!safe && origin !== null && request.headers.has('cookie') && !sameHost(origin, host)) {
    throw new BeachError('FORBIDDEN', 'Another site may not do this with the cookie of this one.')
  }
}

function sameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}
