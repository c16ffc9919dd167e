import { html, nothing, type TemplateResult } from 'lit'
import MarkdownIt from 'markdown-it'
import { safeLink } from './safe-url.ts'

type Token = ReturnType<MarkdownIt['parse']>[number]

// `html: false`: what looks like HTML is text. Images are text as well, the one that stands for them.
const parser = new MarkdownIt('default', { html: false, linkify: false })

/** Longer texts are shown as they are: reading them as Markdown could keep the page busy. */
const maxLength = 50_000

/** Shows Markdown. No HTML is ever made of it as text, so none of the data can become a part of the page’s markup. */
export function markdown(text: string): unknown {
  if (text.length > maxLength) return html`<p class="plain">${text}</p>`
  return blocks(parser.parse(text, {}))
}

/** Shows tokens that open, close and contain each other. */
function nested(tokens: readonly Token[], show: (token: Token, inner: readonly Token[]) => unknown): unknown[] {
  const shown: unknown[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (token === undefined) break
    if (token.nesting !== 1) {
      shown.push(show(token, []))
      continue
    }
    let depth = 1
    const start = index + 1
    while (depth > 0 && ++index < tokens.length) depth += tokens[index]?.nesting ?? 0
    shown.push(show(token, tokens.slice(start, index)))
  }
  return shown
}

function blocks(tokens: readonly Token[]): unknown[] {
  return nested(tokens, block)
}

function block(token: Token, inner: readonly Token[]): unknown {
  switch (token.type) {
    case 'inline':
      return inline(token.children ?? [])
    case 'paragraph_open':
      return token.hidden ? blocks(inner) : html`<p>${blocks(inner)}</p>`
    case 'heading_open':
      return heading(Number(token.tag.slice(1)), blocks(inner))
    case 'bullet_list_open':
      return html`<ul>
        ${blocks(inner)}
      </ul>`
    case 'ordered_list_open':
      return html`<ol start=${token.attrGet('start') ?? 1}>
        ${blocks(inner)}
      </ol>`
    case 'list_item_open':
      return html`<li>${blocks(inner)}</li>`
    case 'blockquote_open':
      return html`<blockquote>${blocks(inner)}</blockquote>`
    case 'fence':
    case 'code_block':
      return html`<pre tabindex="0"><code>${token.content}</code></pre>`
    case 'hr':
      return html`<hr />`
    case 'table_open':
      return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
        <table>
          ${blocks(inner)}
        </table>
      </div>`
    case 'thead_open':
      return html`<thead>
        ${blocks(inner)}
      </thead>`
    case 'tbody_open':
      return html`<tbody>
        ${blocks(inner)}
      </tbody>`
    case 'tr_open':
      return html`<tr>
        ${blocks(inner)}
      </tr>`
    case 'th_open':
      return html`<th scope="col">${blocks(inner)}</th>`
    case 'td_open':
      return html`<td>${blocks(inner)}</td>`
    default:
      return token.content === '' ? nothing : html`<p>${token.content}</p>`
  }
}

function inline(tokens: readonly Token[]): unknown[] {
  return nested(tokens, (token, inner) => {
    switch (token.type) {
      case 'strong_open':
        return html`<strong>${inline(inner)}</strong>`
      case 'em_open':
        return html`<em>${inline(inner)}</em>`
      case 's_open':
        return html`<s>${inline(inner)}</s>`
      case 'link_open':
        return link(textAttribute(token, 'href'), inline(inner))
      case 'code_inline':
        return html`<code>${token.content}</code>`
      case 'hardbreak':
        return html`<br />`
      case 'softbreak':
        return '\n'
      default:
        return token.content
    }
  })
}

/** A link out of the page, or only its text when it leads where it must not. */
export function link(url: string, content: unknown): unknown {
  const href = safeLink(url)
  if (href === undefined) return content
  return html`<a href=${href} target="_blank" rel="noopener noreferrer">${content}</a>`
}

/** Headings within a surface begin one level below those of the page around it. */
export function heading(level: number, content: unknown): TemplateResult {
  switch (level) {
    case 1:
      return html`<h2 class="h1">${content}</h2>`
    case 2:
      return html`<h3 class="h2">${content}</h3>`
    case 3:
      return html`<h4 class="h3">${content}</h4>`
    case 4:
      return html`<h5 class="h4">${content}</h5>`
    default:
      return html`<h6 class="h5">${content}</h6>`
  }
}

function textAttribute(token: Token, name: string): string {
  return token.attrGet(name) ?? ''
}
