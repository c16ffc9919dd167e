import { BeachError } from '@cool-ai/beach-core'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The URL, when no host on the way can read or change the request: https, this machine, or an allowed origin. */
export function privateUrl(given: string, what: string, allow: readonly string[] = []): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url !== undefined && isPrivate(url, allow) && url.username === '' && url.password === '') return url
  const message = `${what} must be an https URL without credentials in it. By http only this machine and allowed origins are asked.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}

function isPrivate({ protocol, hostname, origin }: URL, allow: readonly string[]): boolean {
  return protocol === 'https:' || (protocol === 'http:' && (loopback.has(hostname) || allow.includes(origin)))
}
