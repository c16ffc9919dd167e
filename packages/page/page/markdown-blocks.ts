import createDOMPurify, { type Config } from 'dompurify'
import MarkdownIt from 'markdown-it'
import { safeLink } from '@cool-ai/beach-client/view'

/** HTML in the text is text, and pictures are links: showing one would tell its server that it was seen. */
const markdown = MarkdownIt({ html: false, linkify: true, breaks: true }).enable(['table', 'strikethrough'])
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
markdown.validateLink = (url) => safeLink(url, 'invalid:') !== undefined

markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index]
  const { escapeHtml } = markdown.utils
  const url = token?.attrGet('src') ?? ''
  return `<a href="${escapeHtml(url)}">${escapeHtml(`${token?.content || 'Picture'} (picture)`)}</a>`
}
// The page has headings of its own above those of an answer.
for (const rule of ['heading_open', 'heading_close'] as const) {
  markdown.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index]
    if (token !== undefined) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`
    return self.renderToken(tokens, index, options)
  }
}

const purifier = createDOMPurify(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  // What can be scrolled must be reached without a mouse.
  if (node instanceof HTMLPreElement || node instanceof HTMLTableElement) node.tabIndex = 0
  if (!(node instanceof HTMLAnchorElement)) return
  node.target = '_blank'
  node.rel = 'noopener noreferrer'
  // Where it leads can be seen before it is followed, whatever its text says.
  node.title = node.href
})

const allowed = {
  ALLOWED_TAGS:
    'a b blockquote br code del em h3 h4 h5 h6 hr i li ol p pre s strong table tbody td th thead tr ul'.split(' '),
  ALLOWED_ATTR: ['href', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} satisfies Config & { RETURN_DOM_FRAGMENT: true }

/** The HTML of each top-level block of a text. As a text grows, its blocks stay the same but for the last. */
export function markdownBlocks(text: string): readonly string[] {
  const environment = {}
  const tokens = markdown.parse(text, environment)
  const blocks: string[] = []
  let start = 0
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    depth += token.nesting
    if (depth > 0) continue
    blocks.push(markdown.renderer.render(tokens.slice(start, index + 1), markdown.options, environment).trim())
    start = index + 1
  }
  return blocks
}

/** The nodes of a block, without anything that is not on the list above. */
export function sanitised(html: string): DocumentFragment {
  return purifier.sanitize(html, allowed)
}
