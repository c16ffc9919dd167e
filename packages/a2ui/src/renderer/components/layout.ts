import { CardApi, ColumnApi, DividerApi, ListApi, RowApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { plainComponent, type View } from '../component-element.ts'
import { oneOf, spokenOf } from '../values.ts'

const justify = ['start', 'center', 'end', 'spaceBetween', 'spaceAround', 'spaceEvenly', 'stretch'] as const
const align = ['stretch', 'start', 'center', 'end'] as const

function group(className: string, { props, children }: View<object>, content = children(props.children)) {
  const { label } = spokenOf(props.accessibility)
  return html`<div
    class=${className}
    data-justify=${oneOf(props.justify, justify)}
    data-align=${oneOf(props.align, align)}
    role=${label === undefined ? nothing : 'group'}
    aria-label=${label ?? nothing}
  >
    ${content}
  </div>`
}

export const row = plainComponent(RowApi, (view) => group('row', view))

export const column = plainComponent(ColumnApi, (view) => group('column', view))

export const card = plainComponent(CardApi, (view) => group('card', view, view.child(view.props.child)))

export const list = plainComponent(ListApi, ({ props, children }) => {
  const direction = oneOf(props.direction, ['vertical', 'horizontal'])
  const { label } = spokenOf(props.accessibility)
  const items = children(props.children, (child) => html`<li>${child}</li>`)
  const style = oneOf(props.listStyle, ['none', 'ordered', 'unordered'])
  const shared = { className: `list ${direction} ${style}`, side: oneOf(props.align, align) }
  const content =
    style === 'ordered'
      ? html`<ol class=${shared.className} data-align=${shared.side} aria-label=${label ?? nothing}>
          ${items}
        </ol>`
      : html`<ul class=${shared.className} data-align=${shared.side} role="list" aria-label=${label ?? nothing}>
          ${items}
        </ul>`
  if (direction === 'vertical') return content
  // What scrolls sideways can be reached, and scrolled, with the keyboard.
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${label ?? 'List'}>${content}</div>`
})

export const divider = plainComponent(DividerApi, ({ props }) =>
  props.axis === 'vertical'
    ? html`<div class="divider vertical" role="separator" aria-orientation="vertical"></div>`
    : html`<hr class="divider" />`,
)
