import { TextFieldApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { component, type View } from '../component-element.ts'
import { matches } from '../functions.ts'
import { oneOf, spokenOf, textOf, write } from '../values.ts'
import { fieldOf, type FieldLocal } from './field.ts'
import { isPlainObject } from '../../plain.ts'

interface Local extends FieldLocal {
  /** What the user has typed since the last action, and where that is in the count of actions. */
  typed: { readonly text: string; readonly at: number } | undefined
}

export const textField = component(
  TextFieldApi,
  (): Local => ({ touched: false, typed: undefined }),
  (view) => {
    const { props } = view
    const value = shownValue(view)
    const field = fieldOf(view, wrongForm(view, value))
    const variant = oneOf(props.variant, ['shortText', 'longText', 'number', 'obscured'])
    const type = { shortText: 'text', longText: 'text', number: 'number', obscured: 'password' }[variant]
    const onInput = (event: Event) => {
      const { value: text } = event.currentTarget as HTMLInputElement
      view.change({ typed: { text, at: view.surface.sent } })
      write(props.setValue, text)
    }
    const control =
      variant === 'longText'
        ? html`<textarea
            class="input"
            rows="4"
            id=${field.controlId}
            aria-label=${field.name}
            aria-invalid=${field.invalid}
            aria-describedby=${field.describedBy}
            ?disabled=${field.isDisabled}
            .value=${live(value)}
            @input=${onInput}
            @blur=${field.onBlur}
          ></textarea>`
        : html`<input
            class="input"
            type=${type}
            id=${field.controlId}
            autocomplete=${variant === 'obscured' ? 'off' : nothing}
            step=${variant === 'number' ? 'any' : nothing}
            aria-label=${field.name}
            aria-invalid=${field.invalid}
            aria-describedby=${field.describedBy}
            ?disabled=${field.isDisabled}
            .value=${live(value)}
            @input=${onInput}
            @blur=${field.onBlur}
          />`
    return html`<div class="field">
      ${field.label === '' ? nothing : html`<label for=${field.controlId}>${field.label}</label>`} ${control}
      ${field.hint}${field.problems}
    </div>`
  },
)

/**
 * The text to show. While the user is typing, what they typed stays, even when the agent sends other data for the same
 * place: it is written back, so that the data is what is seen.
 */
function shownValue({ props, local, element, surface, model }: View<Local>): string {
  const value = textOf(props.value)
  const { typed } = local
  if (typed === undefined || typed.text === value) return value
  if (!isPlainObject(model.properties.value)) return typed.text
  const isBeingTyped = typed.at === surface.sent && element.querySelector('.input:focus') !== null
  if (!isBeingTyped) return value
  queueMicrotask(() => write(props.setValue, typed.text))
  return typed.text
}

function wrongForm({ props, surface }: View<Local>, value: string): string[] {
  const { validationRegexp } = props
  if (typeof validationRegexp !== 'string' || value === '') return []
  const result = matches(validationRegexp, value)
  if (typeof result !== 'boolean') surface.report(result.problem)
  return result === false
    ? [`${spokenOf(props.accessibility).label ?? textOf(props.label)} does not have the right form.`]
    : []
}
