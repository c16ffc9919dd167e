import { safeLink } from '@cool-ai/beach-client/view'
import MarkdownIt from 'markdown-it'
import { createElement as h, type ReactElement, type ReactNode } from 'react'

type Token = ReturnType<MarkdownIt['parse']>[number]

/** HTML in the text is text: elements are made of tokens, never of markup. */
const markdown = MarkdownIt({ html: false, linkify: true, breaks: true }).enable(['table', 'strikethrough'])
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })

/** The elements of a text; others are left out, and what stands in them is shown. */
const elements: ReadonlySet<string> = new Set(
  'a blockquote br code em h3 h4 h5 h6 hr li ol p pre s strong table tbody td th thead tr ul'.split(' '),
)
/** Headings of an answer stand below those around it. */
const headings: Readonly<Record<string, string>> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' }

/** Markdown as elements of React, on servers too. */
export function Markdown({ text }: { readonly text: string }): ReactElement {
  const tokens = markdown.parse(text, {})
  return h('div', { className: 'beach-prose' }, ...nodesOf(tokens, { at: 0 }))
}

interface Reader {
  at: number
}

/** The nodes from the reader's place to the end of the element that it is in. */
function nodesOf(tokens: readonly Token[], reader: Reader): ReactNode[] {
  const nodes: ReactNode[] = []
  for (let token = tokens[reader.at]; token !== undefined; token = tokens[reader.at]) {
    reader.at++
    if (token.nesting === -1) return nodes
    const key = nodes.length
    if (token.nesting === 1) {
      const inside = nodesOf(tokens, reader)
      // The paragraph of a tight list item is there only for its text.
      nodes.push(...(token.hidden ? inside : [element(token, key, inside)]))
    } else nodes.push(leaf(token, key))
  }
  return nodes
}

function leaf(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'inline':
      return h('span', { key }, ...nodesOf(token.children ?? [], { at: 0 }))
    case 'text':
    case 'html_inline':
    case 'html_block':
      return token.content
    case 'code_inline':
      return h('code', { key }, token.content)
    case 'fence':
    case 'code_block':
      // What can be scrolled must be reached without a mouse.
      return h('pre', { key, tabIndex: 0 }, h('code', null, token.content))
    case 'softbreak':
    case 'hardbreak':
      return h('br', { key })
    case 'hr':
      return h('hr', { key })
    case 'image':
      // Showing a picture would tell its server that it was seen.
      return link(token.attrGet('src'), key, `${token.content || 'Picture'} (picture)`)
    default:
      return token.content
  }
}

function element(token: Token, key: number, inside: ReactNode[]): ReactNode {
  const { tag } = token
  const name = headings[tag] ?? tag
  if (name === 'a') return link(token.attrGet('href'), key, ...inside)
  if (!elements.has(name)) return h('span', { key }, ...inside)
  if (name === 'ol') return h('ol', { key, start: Number(token.attrGet('start') ?? 1) }, ...inside)
  if (name === 'table') return h('table', { key, tabIndex: 0 }, ...inside)
  return h(name, { key }, ...inside)
}

/** A link to another site, if it is one that may be followed; its text alone otherwise. Where it leads can be seen. */
function link(url: string | null, key: number, ...inside: ReactNode[]): ReactNode {
  const target = safeLink(url, 'invalid:')?.href
  if (target === undefined) return h('span', { key }, ...inside)
  return h('a', { key, href: target, title: target, target: '_blank', rel: 'noopener noreferrer' }, ...inside)
}
