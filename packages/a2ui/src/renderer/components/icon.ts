import { IconApi, type ComponentModel } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { plainComponent, type View } from '../component-element.ts'
import { iconShape, iconWords } from '../icons.ts'
import { spokenOf, textOf } from '../values.ts'
import { isPlainObject } from '../../plain.ts'

export const icon = plainComponent(IconApi, (view) => {
  const { name, accessibility } = view.props
  const spoken = spokenOf(accessibility).label ?? (isOnlyContent(view) ? wordsOf(name) : undefined)
  return html`<span class="icon-box">
    ${drawing(name)}${spoken === undefined ? nothing : html`<span class="spoken">${spoken}</span>`}
  </span>`
})

/** One of our own icons. It has no label: the component that shows it names its meaning. */
export function iconSvg(name: string) {
  const shape = iconShape(name)
  if (shape === undefined) return nothing
  return html`<svg class=${shape.solid ? 'icon solid' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
    <path d=${shape.path} />
  </svg>`
}

function drawing(name: unknown) {
  if (isPlainObject(name) && typeof name.svgPath === 'string') {
    return html`<svg class="icon solid" viewBox="0 0 24 24" aria-hidden="true"><path d=${name.svgPath} /></svg>`
  }
  const text = textOf(name)
  if (iconShape(text) !== undefined) return iconSvg(text)
  // A sign such as an emoji is shown as it is; of an unknown name only the words are left.
  return /^[\w ]*$/.test(text) ? nothing : html`<span class="sign" aria-hidden="true">${text.slice(0, 8)}</span>`
}

function wordsOf(name: unknown): string | undefined {
  return typeof name === 'string' && name !== '' ? iconWords(name) : undefined
}

/** True in a button that has no words, where the icon must say what the button is for. */
function isOnlyContent({ element, find }: View<object>): boolean {
  const button = element.closest('beach-button') as
    | (HTMLElement & { context?: { componentModel: ComponentModel } })
    | null
  const model = button?.context?.componentModel
  if (model === undefined || spokenOf(model.properties.accessibility).label !== undefined) return false
  return !hasText(model, find, new Set())
}

function hasText(model: ComponentModel, find: View<object>['find'], seen: Set<string>): boolean {
  if (model.type === 'Text') return true
  if (seen.has(model.id)) return false
  seen.add(model.id)
  const { child, children } = model.properties as { child?: unknown; children?: unknown }
  const ids = [child, ...(Array.isArray(children) ? (children as unknown[]) : [])]
  return ids.some((id) => {
    const inner = find(id)
    return inner !== undefined && hasText(inner, find, seen)
  })
}
