import { escapeHtml } from '@cool-ai/beach-core/runtime'

/** An address that may be linked to; undefined for all others, such as those that run something. */
export function safeUrl(url: string, schemes: readonly string[] = ['https:', 'http:', 'mailto:']): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return schemes.includes(protocol) ? href : undefined
}

/** A link, or its label alone when the address is none to be linked to. */
export function linkHtml(label: string, url: string, style = 'color:#0b57d0'): string {
  const href = safeUrl(url)
  if (href === undefined) return escapeHtml(label)
  return `<a href="${escapeHtml(href)}" style="${style}">${escapeHtml(label)}</a>`
}
