import { escapeHtml } from '@cool-ai/beach-core/runtime'

/** What another agent's surface says in words, with its name above it; the agent's own, without one, as it is. */
export function textFrom(text: string, from: string | undefined): string {
  if (text === '' || from === undefined) return text
  const quoted = text.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))
  return [`From ${from}:`, ...quoted].join('\n')
}

const quote = 'border-left:3px solid #e4e0d6;padding:0 0 0 12px;margin:0 0 12px'
const heading = 'margin:0 0 6px;color:#565f6b'

/** The same for HTML. */
export function htmlFrom(html: string, from: string | undefined): string {
  if (html === '' || from === undefined) return html
  return `<div style="${quote}"><p class="beach-minor" style="${heading}">From ${escapeHtml(from)}:</p>${html}</div>`
}
