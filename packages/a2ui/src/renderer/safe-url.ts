/** A link that may be followed: to the web or to a mail address. Anything else, such as `javascript:`, is nothing. */
export function safeLink(url: string): string | undefined {
  const parsed = parse(url)
  if (parsed === undefined) return undefined
  return ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed.href : undefined
}

/**
 * Says where pictures, films and sounds may come from. By default only from the page’s own origin and from `data:`: an
 * address elsewhere could carry what an agent knows to the party that made it write that address.
 */
export function sourcePolicy(origins: readonly string[]): (url: string) => string | undefined {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin))
  return (url) => {
    const parsed = parse(url)
    if (parsed === undefined) return undefined
    if (parsed.protocol === 'data:') return /^data:(?:image|audio|video)\//i.test(parsed.href) ? parsed.href : undefined
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return undefined
    return parsed.origin === location.origin || allowed.has(parsed.origin) ? parsed.href : undefined
  }
}

function parse(url: string): URL | undefined {
  return URL.parse(url, document.baseURI) ?? undefined
}
