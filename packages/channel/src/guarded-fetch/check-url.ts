import { refused } from './failures.ts'

/** Refuses an address for its scheme, for credentials in it, or for its origin. */
export function checkUrl(url: URL, allow: ReadonlySet<string>, only: ReadonlySet<string> | undefined): void {
  const { protocol, host, username, password, origin } = url
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw refused('scheme', `An address that begins with ${protocol} cannot be fetched. Give one with https.`)
  }
  if (username !== '' || password !== '') {
    throw refused('credentials', `The address at ${host} has a name or a password in it. Send it in a header instead.`)
  }
  if (only !== undefined && !only.has(origin)) {
    throw refused('other-origin', `${origin} is not an origin that this request may go to. Allow it if you mean it.`)
  }
  if (protocol === 'http:' && !allow.has(origin)) {
    throw refused('not-https', `${host} must be called by https. Allow the origin ${origin} if you mean it.`)
  }
}
