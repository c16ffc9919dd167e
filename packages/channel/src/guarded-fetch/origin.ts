import { BeachError } from '@cool-ai/beach-core'

/** The configured origin, such as `http://127.0.0.1:4748`, in its one form. */
export function parseOrigin(text: string): string {
  if (isOrigin(text)) return new URL(text).origin
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `'${text}' is not an origin. Give scheme, host and port and nothing else, such as 'http://127.0.0.1:4748'.`,
  )
}

/** Whether a text is an origin on the web, exactly one: no path, no pattern. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, href, origin, hostname } = new URL(text)
  return /^https?:$/.test(protocol) && href === `${origin}/` && !hostname.includes('*')
}
