import { DateTimeInputApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { component } from '../component-element.ts'
import { formatDate } from '../../model/format-date.ts'
import { textOf, write } from '../values.ts'
import { fieldOf, type FieldLocal } from './field.ts'

type InputType = 'date' | 'time' | 'datetime-local'

export const dateTimeInput = component(
  DateTimeInputApi,
  (): FieldLocal => ({ touched: false }),
  (view) => {
    const { props } = view
    const field = fieldOf(view)
    const type = inputType(props.enableDate === true, props.enableTime === true)
    const before = textOf(props.value)
    const onInput = (event: Event) => {
      write(props.setValue, afterInput((event.currentTarget as HTMLInputElement).value, before, type))
    }
    return html`<div class="field">
      ${field.label === '' ? nothing : html`<label for=${field.controlId}>${field.label}</label>`}
      <div class="date">
        <input
          class="input"
          type=${type}
          id=${field.controlId}
          min=${inputValue(textOf(props.min), type) || nothing}
          max=${inputValue(textOf(props.max), type) || nothing}
          aria-label=${field.label === '' ? names[type] : field.name}
          aria-invalid=${field.invalid}
          aria-describedby=${field.describedBy}
          ?disabled=${field.isDisabled}
          .value=${live(inputValue(before, type))}
          @change=${onInput}
          @blur=${field.onBlur}
        />
        <span class="written" aria-hidden="true">${written(before, type)}</span>
      </div>
      ${field.hint}${field.problems}
    </div>`
  },
)

const names: Readonly<Record<InputType, string>> = { date: 'Date', time: 'Time', 'datetime-local': 'Date and time' }

function inputType(withDate: boolean, withTime: boolean): InputType {
  if (withTime) return withDate ? 'datetime-local' : 'time'
  return 'date'
}

const patterns: Readonly<Record<InputType, string>> = {
  date: 'EEE d MMM yyyy',
  time: 'HH:mm',
  'datetime-local': 'EEE d MMM yyyy, HH:mm',
}

/**
 * The value in the page's own words, which lie over the input until it is used: browsers write dates by their own
 * locale, and 08/09/2026 is a day in August for some readers and in September for others.
 */
function written(value: string, type: InputType): string {
  if (inputValue(value, type) === '') return ''
  const day = type === 'time' ? `1970-01-01T${inputValue(value, type)}` : value
  return formatDate(day, patterns[type], document.documentElement.lang || 'en-GB')
}

/** A date and time as the browser’s input wants it: without seconds and without a zone. */
export function inputValue(value: string, type: InputType): string {
  const date = /^\d{4}-\d\d-\d\d/.exec(value)?.[0]
  const time = /(?:^|T)(\d\d:\d\d)/.exec(value)?.[1]
  if (type === 'date') return date ?? ''
  if (type === 'time') return time ?? ''
  return date === undefined ? '' : `${date}T${time ?? '00:00'}`
}

/** What the data gets: in the zone that the value had before, if it had one. */
export function afterInput(input: string, before: string, type: InputType): string {
  if (input === '' || type !== 'datetime-local') return input
  const zone = /T.*?(Z|[+-]\d\d:?\d\d)$/.exec(before)?.[1] ?? ''
  return `${input.slice(0, 16)}:00${zone}`
}
