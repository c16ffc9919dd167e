import { escapeHtml } from '@cool-ai/beach-core/runtime'
import MarkdownIt from 'markdown-it'

export { escapeHtml }

// Mail has no style sheets, so each element brings its own style.
const styles: Readonly<Record<string, string>> = {
  p: 'margin:0 0 12px',
  h1: 'font-size:22px;line-height:1.25;margin:16px 0 8px',
  h2: 'font-size:19px;line-height:1.25;margin:16px 0 8px',
  h3: 'font-size:17px;line-height:1.3;margin:12px 0 6px',
  h4: 'font-size:15px;line-height:1.3;margin:12px 0 6px',
  ul: 'margin:0 0 12px;padding-left:22px',
  ol: 'margin:0 0 12px;padding-left:22px',
  li: 'margin:0 0 4px',
  blockquote: 'margin:0 0 12px;padding:0 0 0 12px;border-left:3px solid #e4e0d6;color:#565f6b',
  pre: 'margin:0 0 12px;padding:10px;background:#f4f5f7;border-radius:6px;white-space:pre-wrap',
  code: 'font-family:ui-monospace,Consolas,monospace;font-size:13px;background:#f4f5f7',
  table: 'border-collapse:collapse;margin:0 0 12px',
  th: 'padding:6px 12px 6px 0;text-align:left;vertical-align:top;border-bottom:1px solid #e4e0d6',
  td: 'padding:6px 12px 6px 0;text-align:left;vertical-align:top',
  a: 'color:#0c6484',
  hr: 'border:0;border-top:1px solid #e4e0d6;margin:16px 0',
}

/** Longer texts are shown as they are: reading them as Markdown could keep the process busy. */
const maxMarkdownLength = 50_000
const goodLink = /^(?:https?:\/\/|mailto:)[^\s]/i

const markdown = new MarkdownIt('default', { html: false, linkify: false })
markdown.validateLink = (url) => goodLink.test(url)
markdown.core.ruler.push('mail styles', ({ tokens }) => styleAll(tokens))
// Loading a picture tells its sender who reads when: it becomes a link.
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index]
  const source = token?.attrGet('src') ?? ''
  const name = escapeHtml(token?.content === '' ? source : (token?.content ?? source))
  return `<a class="beach-link" style="${styles.a}" href="${escapeHtml(source)}">${name}</a>`
}

/** Markdown as HTML for mail: HTML in it stays text, links lead to the web or to an address only. */
export function markdownHtml(text: string): string {
  if (text.length > maxMarkdownLength) return `<p style="${styles.p};white-space:pre-wrap">${escapeHtml(text)}</p>`
  return markdown.render(text)
}

type Token = ReturnType<MarkdownIt['parse']>[number]

function styleAll(tokens: readonly Token[]): void {
  for (const token of tokens) {
    const style = Object.hasOwn(styles, token.tag) ? styles[token.tag] : undefined
    if (style !== undefined && token.nesting >= 0 && token.type !== 'inline') token.attrSet('style', style)
    if (token.tag === 'a' && token.nesting === 1) {
      token.attrSet('rel', 'noopener noreferrer')
      token.attrSet('class', 'beach-link')
    }
    if (token.tag === 'code' || token.tag === 'pre') token.attrSet('class', 'beach-code')
    if (token.children !== null) styleAll(token.children)
  }
}
