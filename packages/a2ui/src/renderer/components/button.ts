import { ButtonApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { component, type View } from '../component-element.ts'
import { changed } from '../surface-services.ts'
import { problemLine } from './field.ts'
import { oneOf, spokenOf, textsOf } from '../values.ts'

interface Local {
  /** True after a click that could not be carried out. */
  refused: boolean
}

export const button = component(
  ButtonApi,
  (): Local => ({ refused: false }),
  (view) => {
    const { props, surface, element, local, id } = view
    const { label, description } = spokenOf(props.accessibility)
    const opens = element.closest('[data-opens]') !== null
    const problems = props.isValid === false ? textsOf(props.validationErrors) : []
    const isDisabled = (surface.state !== 'open' && !opens) || problems.length > 0
    const shown = local.refused && problems.length > 0 ? problems : []
    // Not `disabled`: the button keeps its focus while it is busy, and can say why it does nothing.
    return html`<button
        type="button"
        class="button ${oneOf(props.variant, ['default', 'primary', 'borderless'])}"
        aria-disabled=${isDisabled ? 'true' : nothing}
        aria-label=${label ?? nothing}
        aria-haspopup=${opens ? 'dialog' : nothing}
        aria-describedby=${shown.length > 0 ? id('problem') : nothing}
        aria-description=${description ?? nothing}
        @click=${(event: MouseEvent) => press(view, event, problems)}
      >
        ${view.child(props.child)}
      </button>
      ${shown.length === 0 ? nothing : problemLine(id('problem'), shown)}`
  },
)

function press(view: View<Local>, event: MouseEvent, problems: readonly string[]): void {
  const { props, surface, element, change } = view
  // What opens a dialog does that and nothing else, whatever action its data has.
  if (element.closest('[data-opens]') !== null) return
  event.stopPropagation()
  // The second click of a double click: what the first one has changed may have moved this button below the pointer.
  const isDoubled = event.detail > 1
  if (surface.state !== 'open' || isDoubled) return
  if (problems.length > 0) {
    change({ refused: true })
    surface.attempted = true
    changed(surface)
    focusFirstProblem(element)
    return
  }
  change({ refused: false })
  const { action } = props
  if (typeof action !== 'function') return
  surface.acting = true
  try {
    ;(action as () => void)()
  } finally {
    surface.acting = false
  }
}

/** Goes to the first field that wants something else, once it has been drawn as such. */
function focusFirstProblem(element: HTMLElement): void {
  requestAnimationFrame(() => {
    const root = element.closest('dialog') ?? (element.getRootNode() as ShadowRoot)
    root.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}
