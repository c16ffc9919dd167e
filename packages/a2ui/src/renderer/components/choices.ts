import { CheckBoxApi, ChoicePickerApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { component, type View } from '../component-element.ts'
import { spokenOf, textOf, textsOf, write } from '../values.ts'
import { fieldOf, type FieldLocal } from './field.ts'
import { isPlainObject } from '../../plain.ts'

export const checkBox = component(
  CheckBoxApi,
  (): FieldLocal => ({ touched: false }),
  (view) => {
    const { props } = view
    const field = fieldOf(view)
    return html`<div class="field">
      <label class="option">
        <input
          type="checkbox"
          aria-label=${field.name}
          aria-invalid=${field.invalid}
          aria-describedby=${field.describedBy}
          ?disabled=${field.isDisabled}
          .checked=${live(props.value === true)}
          @change=${(event: Event) => write(props.setValue, (event.currentTarget as HTMLInputElement).checked)}
          @blur=${field.onBlur}
        />
        <span>${field.label}</span>
      </label>
      ${field.hint}${field.problems}
    </div>`
  },
)

interface Local extends FieldLocal {
  filter: string
  /** What is chosen, when the data has no place for it. */
  chosen: readonly string[] | undefined
}

export const choicePicker = component(
  ChoicePickerApi,
  (): Local => ({ touched: false, filter: '', chosen: undefined }),
  (view) => {
    const { props, local, id } = view
    const field = fieldOf(view)
    const isChips = props.displayStyle === 'chips'
    const all = Array.isArray(props.options) ? props.options.filter(isPlainObject) : []
    const wanted = local.filter.trim().toLowerCase()
    const options = all.filter(({ label }) => textOf(label).toLowerCase().includes(wanted))
    const spoken = spokenOf(props.accessibility).label
    const legend = textOf(props.label)
    return html`<fieldset
      class="field choices"
      aria-label=${spoken ?? (legend === '' ? 'Choices' : nothing)}
      aria-invalid=${field.invalid}
      aria-describedby=${field.describedBy}
      tabindex=${field.invalid === 'true' ? -1 : nothing}
      ?disabled=${field.isDisabled}
    >
      ${legend === '' ? nothing : html`<legend>${legend}</legend>`}
      ${props.filterable === true ? filter(view, options.length) : nothing}
      <div class=${isChips ? 'chips' : 'options'}>${options.map((option) => choice(view, option, isChips))}</div>
      ${field.hint}${field.problems}
      <span class="spoken" id=${id('count')} role="status"
        >${wanted === '' ? nothing : `${options.length} of ${all.length} choices`}</span
      >
    </fieldset>`
  },
)

function filter({ local, change, props }: View<Local>, _count: number) {
  return html`<input
    class="input"
    type="search"
    placeholder="Filter"
    aria-label=${`Filter ${textOf(props.label)}`.trim()}
    .value=${live(local.filter)}
    @input=${(event: Event) => change({ filter: (event.currentTarget as HTMLInputElement).value })}
  />`
}

function choice(view: View<Local>, option: Readonly<Record<string, unknown>>, isChip: boolean) {
  const { props, id } = view
  const value = textOf(option.value)
  const isMultiple = props.variant === 'multipleSelection'
  return html`<label class=${isChip ? 'chip' : 'option'}>
    <input
      type=${isMultiple ? 'checkbox' : 'radio'}
      name=${id('choice')}
      value=${value}
      .checked=${live(chosenIn(view).includes(value))}
      @change=${() => choose(view, value, isMultiple)}
    />
    <span>${textOf(option.label)}</span>
  </label>`
}

function chosenIn({ props, local }: View<Local>): readonly string[] {
  return local.chosen ?? textsOf(props.value)
}

function choose(view: View<Local>, value: string, isMultiple: boolean): void {
  const before = chosenIn(view)
  const without = before.filter((chosen) => chosen !== value)
  const after = !isMultiple ? [value] : without.length < before.length ? without : [...before, value]
  const isBound = isPlainObject(view.model.properties.value)
  view.change({ touched: true, chosen: isBound ? undefined : after })
  write(view.props.setValue, after)
}
