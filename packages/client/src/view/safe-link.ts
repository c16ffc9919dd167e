/** Where a link may lead: to other sites and to mail, never to scripts or data. */
const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** The address if a page may link to it, as the browser will read it; undefined otherwise. */
export function safeLink(url: unknown, base: string): URL | undefined {
  if (typeof url !== 'string' || !URL.canParse(url, base)) return undefined
  const target = new URL(url, base)
  return protocols.has(target.protocol) ? target : undefined
}

/** The address of a file of this agent; undefined for whatever lies elsewhere. */
export function ownFile(url: unknown, base: string): URL | undefined {
  const target = safeLink(url, base)
  if (target === undefined || target.origin !== new URL(base).origin) return undefined
  return target.pathname.startsWith(new URL('artifacts/', base).pathname) ? target : undefined
}
