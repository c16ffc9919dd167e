import { html, nothing, type TemplateResult } from 'lit'
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js'
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

/** Elements that have nothing but their content. The parser names them, never the text. */
const plainTags: ReadonlySet<string> = new Set('ul li blockquote thead tbody tr td strong em s'.split(' '))

function element(tag: string, content: unknown): TemplateResult {
  return staticHtml`<${unsafeStatic(tag)}>${content}</${unsafeStatic(tag)}>`
}

function block(token: Token, inner: readonly Token[]): unknown {
  switch (token.type) {
    case 'inline':
      return inline(token.children ?? [])
    case 'paragraph_open':
      return token.hidden ? blocks(inner) : html`<p>${blocks(inner)}</p>`
    case 'heading_open':
      return heading(Number(token.tag.slice(1)), blocks(inner))
    case 'ordered_list_open':
      return html`<ol start=${token.attrGet('start') ?? 1}>
        ${blocks(inner)}
      </ol>`
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
    case 'th_open':
      return html`<th scope="col">${blocks(inner)}</th>`
    default:
      if (plainTags.has(token.tag)) return element(token.tag, blocks(inner))
      return token.content === '' ? nothing : html`<p>${token.content}</p>`
  }
}

function inline(tokens: readonly Token[]): unknown[] {
  return nested(tokens, (token, inner) => {
    switch (token.type) {
      case 'link_open':
        return link(token.attrGet('href') ?? '', inline(inner))
      case 'code_inline':
        return html`<code>${token.content}</code>`
      case 'hardbreak':
        return html`<br />`
      case 'softbreak':
        return '\n'
      default:
        return plainTags.has(token.tag) ? element(token.tag, inline(inner)) : token.content
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
export function heading(variant: number, content: unknown, level = Math.min(variant, 5) + 1): TemplateResult {
  const depth = Math.min(variant, 5)
  const tag = unsafeStatic(`h${level}`)
  return staticHtml`<${tag} class="h${depth}">${content}</${tag}>`
}
