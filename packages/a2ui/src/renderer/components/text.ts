import { TextApi } from '@a2ui/web_core/v0_9'
import { html } from 'lit'
import { plainComponent } from '../component-element.ts'
import { heading, markdown } from '../markdown.ts'
import { headingLevel } from '../surface-services.ts'
import { oneOf, spokenOf, textOf } from '../values.ts'

export const text = plainComponent(TextApi, ({ props, element, surface }) => {
  const content = textOf(props.text)
  const variant = oneOf(props.variant, ['body', 'h1', 'h2', 'h3', 'h4', 'h5', 'caption'])
  const { label } = spokenOf(props.accessibility)
  const shown = () => {
    // A button can hold phrases only, and nothing in it can be a link or a heading.
    if (element.closest('button') !== null) return html`<span class="text ${variant}">${withoutLinks(content)}</span>`
    // As in A2UI’s own renderer, only bodies are Markdown.
    if (variant === 'caption') return html`<p class="text caption">${content}</p>`
    if (variant === 'body') return html`<div class="text body">${markdown(content)}</div>`
    const size = Number(variant.slice(1))
    return heading(size, content.replace(/^#+\s+/, ''), headingLevel(surface, size))
  }
  if (label === undefined) return shown()
  // What is said differs from what is seen, as with “★★★★☆”.
  return html`<span class="spoken">${label}</span>
    <div aria-hidden="true">${shown()}</div>`
})

function withoutLinks(content: string): string {
  return content.replaceAll(/(\*\*|__|`)(.+?)\1/g, '$2').replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
