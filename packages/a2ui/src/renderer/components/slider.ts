import { SliderApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { component } from '../component-element.ts'
import { write } from '../values.ts'
import { fieldOf, type FieldLocal } from './field.ts'

export const slider = component(
  SliderApi,
  (): FieldLocal => ({ touched: false }),
  (view) => {
    const { props } = view
    const field = fieldOf(view)
    const min = numberOr(props.min, 0)
    const max = numberOr(props.max, 100)
    const value = numberOr(props.value, min)
    return html`<div class="field">
      <div class="slider-head">
        ${field.label === '' ? nothing : html`<label for=${field.controlId}>${field.label}</label>`}
        <span class="value" aria-hidden="true">${value}</span>
      </div>
      <input
        class="slider"
        type="range"
        id=${field.controlId}
        min=${min}
        max=${max}
        step=${stepOf(min, max)}
        aria-label=${field.name}
        aria-invalid=${field.invalid}
        aria-describedby=${field.describedBy}
        ?disabled=${field.isDisabled}
        .value=${live(String(value))}
        @input=${(event: Event) => write(props.setValue, Number((event.currentTarget as HTMLInputElement).value))}
        @blur=${field.onBlur}
      />
      ${field.hint}${field.problems}
    </div>`
  },
)

/** Whole numbers between whole ends, unless they are so near that nothing would be left to choose. */
function stepOf(min: number, max: number): number {
  const range = max - min
  return Number.isInteger(min) && Number.isInteger(max) && range > 2 ? 1 : range / 100
}

function numberOr(value: unknown, other: number): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : other
}
