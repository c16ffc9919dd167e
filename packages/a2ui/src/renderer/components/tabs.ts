import { TabsApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { component, type View } from '../component-element.ts'
import { spokenOf, textOf } from '../values.ts'
import { isPlainObject } from '../../plain.ts'

interface Local {
  active: number
  /** The tabs that were shown already; what is in the others is not drawn before it is wanted. */
  visited: Set<number>
}

export const tabs = component(
  TabsApi,
  (): Local => ({ active: 0, visited: new Set([0]) }),
  (view) => {
    const { props, local, id, child } = view
    const all = Array.isArray(props.tabs) ? props.tabs.filter(isPlainObject) : []
    const active = Math.min(local.active, all.length - 1)
    return html`<div class="tabs">
      <div
        class="tab-list"
        role="tablist"
        aria-label=${spokenOf(props.accessibility).label ?? nothing}
        @keydown=${(event: KeyboardEvent) => move(view, event, active, all.length)}
      >
        ${all.map(
          (tab, index) =>
            html`<button
              type="button"
              class="tab"
              role="tab"
              id=${id(`tab-${index}`)}
              aria-selected=${index === active}
              aria-controls=${id(`panel-${index}`)}
              tabindex=${index === active ? 0 : -1}
              @click=${() => show(view, index)}
            >
              ${textOf(tab.title)}
            </button>`,
        )}
      </div>
      ${all.map(
        (tab, index) =>
          html`<div
            class="tab-panel"
            role="tabpanel"
            id=${id(`panel-${index}`)}
            aria-labelledby=${id(`tab-${index}`)}
            tabindex="0"
            ?hidden=${index !== active}
          >
            ${local.visited.has(index) || index === active ? child(tab.child) : nothing}
          </div>`,
      )}
    </div>`
  },
)

function show({ local, change }: View<Local>, index: number): void {
  change({ active: index, visited: local.visited.add(index) })
}

const steps: Readonly<Record<string, (active: number, count: number) => number>> = {
  ArrowRight: (active, count) => (active + 1) % count,
  ArrowLeft: (active, count) => (active - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

function move(view: View<Local>, event: KeyboardEvent, active: number, count: number): void {
  const next = steps[event.key]?.(active, count)
  if (next === undefined) return
  event.preventDefault()
  show(view, next)
  view.element.querySelector<HTMLElement>(`#${view.id(`tab-${next}`)}`)?.focus()
}
