import { html, nothing, type TemplateResult } from 'lit'
import type { View } from '../component-element.ts'
import { iconSvg } from './icon.ts'
import { spokenOf, textOf, textsOf } from '../values.ts'

/** What every field remembers: whether the user has been in it, so that it does not complain beforehand. */
export interface FieldLocal {
  touched: boolean
}

/** How a control is tied to its label and to what is wrong with its value. */
export interface FieldParts {
  readonly controlId: string
  readonly label: string
  /** What assistive technology calls the control, when its label does not say it. */
  readonly name: string | typeof nothing
  readonly invalid: 'true' | typeof nothing
  readonly describedBy: string | typeof nothing
  readonly isDisabled: boolean
  readonly problems: TemplateResult | typeof nothing
  readonly hint: TemplateResult | typeof nothing
  readonly onBlur: () => void
}

/** Prepares the label, the description and the messages of a field. */
export function fieldOf<Local extends FieldLocal>(
  view: View<Local>,
  extraProblems: readonly string[] = [],
): FieldParts {
  const { props, surface, local, id } = view
  const { label, description } = spokenOf(props.accessibility)
  const failed = [...(props.isValid === false ? textsOf(props.validationErrors) : []), ...extraProblems]
  const shown = local.touched || surface.attempted ? failed : []
  const described = [...(description === undefined ? [] : [id('hint')]), ...(shown.length === 0 ? [] : [id('problem')])]
  return {
    controlId: id('control'),
    label: textOf(props.label) === '' ? (label ?? '') : textOf(props.label),
    name: nameOf(view),
    invalid: shown.length === 0 ? nothing : 'true',
    describedBy: described.length === 0 ? nothing : described.join(' '),
    isDisabled: surface.state === 'done' || surface.state === 'stale',
    problems: shown.length === 0 ? nothing : problemLine(id('problem'), shown),
    hint: description === undefined ? nothing : html`<p class="hint" id=${id('hint')}>${description}</p>`,
    onBlur: () => {
      if (!local.touched) view.change({ touched: true } as Partial<Local>)
    },
  }
}

/** The data’s own words for the control; without those and without a label, what stands next to it. */
function nameOf<Local extends FieldLocal>({ props, element, change }: View<Local>): string | typeof nothing {
  const { label } = spokenOf(props.accessibility)
  const written = textOf(props.label)
  if (label !== undefined) return written === label ? nothing : label
  if (written !== '') return nothing
  const nearby = element.parentElement?.querySelector('.h1, .h2, .h3, .h4, .h5, .text')?.textContent.trim()
  // What stands next to it may be drawn only after it.
  if (nearby === undefined && element.parentElement?.querySelector('beach-text') !== null) {
    requestAnimationFrame(() => change({}))
  }
  return nearby ?? 'Value'
}

/** Shows what is wrong, at once, also to assistive technology. */
export function problemLine(id: string, problems: readonly string[]): TemplateResult {
  return html`<p class="problem" id=${id} role="alert">${iconSvg('warning')}<span>${problems.join(' ')}</span></p>`
}
