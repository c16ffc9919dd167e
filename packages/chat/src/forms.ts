import { createHash } from 'node:crypto'
import { shortened, oneLine } from '@cool-ai/beach-channel/people'
import type { Runtime } from '@cool-ai/beach-core'
import type { ChoiceAction, ChoiceField } from '@cool-ai/beach-core/registries'
import {
  DateInput,
  Modal,
  NumberInput,
  RadioSelect,
  Select,
  SelectOption,
  TextInput,
  type ModalChild,
  type ModalElement,
  type StateAdapter,
} from 'chat'
import { withoutHidden } from './safe-text.ts'

/** A form that was opened: by whom, and by which button. */
export interface OpenedForm {
  /** The name of the message with the button. */
  readonly card: string
  readonly number: number
  /** Who has opened it, by a digest. */
  readonly by: string
}

const keptMs = 60 * 60 * 1_000
const maxOptions = 100
const maxFieldText = 3_000
const maxLabel = 75

/** The forms that are open, in the agent's store: another process may take what stands in them. */
export class OpenedForms {
  readonly #state: Pick<StateAdapter, 'get' | 'set'>
  readonly #runtime: Runtime

  constructor(state: Pick<StateAdapter, 'get' | 'set'>, runtime: Runtime) {
    this.#state = state
    this.#runtime = runtime
  }

  /** Notes a form, and gives it a name. */
  async add(form: Omit<OpenedForm, 'by'>, user: string): Promise<string> {
    const id = this.#runtime.id('form')
    await this.#state.set(`form:${id}`, { ...form, by: digest(user) } satisfies OpenedForm, keptMs)
    return id
  }

  /** A form, for the person who has opened it and for no other; undefined once its time is over. */
  async find(id: string, user: string): Promise<OpenedForm | undefined> {
    const form = await this.#state.get<OpenedForm>(`form:${id}`)
    return form?.by === digest(user) ? form : undefined
  }
}

function digest(user: string): string {
  return createHash('sha256').update(user).digest('base64url')
}

/** The fields of a button as a form of the platform. */
export function formOf({ label, context, fields = [] }: ChoiceAction, titleLength: number): ModalElement {
  return Modal({
    callbackId: 'form',
    title: shortened(oneLine(label), titleLength) || 'Form',
    submitLabel: shortened(oneLine(label), 24) || 'Send',
    children: fields.map((field, index) => inputOf(field, `f${index}`, context[field.name])),
  })
}

/** What stands in the fields of a submitted form, by their places. */
export function valuesIn(values: Readonly<Record<string, string>>): (string | undefined)[] {
  const places = Object.keys(values).flatMap((id) => (/^f\d{1,2}$/.test(id) ? [Number(id.slice(1))] : []))
  return Array.from({ length: Math.max(-1, ...places) + 1 }, (_, index) => values[`f${index}`])
}

/** The context of a button with what was filled in; undefined when a value is none that the form lets a person give. */
export function filledContext(
  { context, fields = [] }: ChoiceAction,
  values: readonly (string | undefined)[],
): Readonly<Record<string, unknown>> | undefined {
  const filled: Record<string, unknown> = { ...context }
  for (const [index, field] of fields.entries()) {
    const given = values[index]
    // A field that was left as it is may not be sent at all.
    if (given === undefined) continue
    const value = valueOf(field, withoutHidden(given))
    if (value === undefined) return undefined
    filled[field.name] = value
  }
  return filled
}

function valueOf({ kind, options = [] }: ChoiceField, given: string): unknown {
  switch (kind) {
    case 'text':
    case 'longText':
      return given.length > maxFieldText ? undefined : given
    case 'date':
      return given === '' || /^\d{4}-\d{2}-\d{2}$/.test(given) ? given : undefined
    case 'number': {
      const number = Number(given)
      return given.trim() === '' || !Number.isFinite(number) ? undefined : number
    }
    case 'yesNo':
      return given === 'yes' ? true : given === 'no' ? false : undefined
    case 'option':
      if (given === '') return []
      return options.some(({ value }) => value === given) ? [given] : undefined
  }
}

function inputOf(field: ChoiceField, id: string, now: unknown): ModalChild {
  const about = { id, label: shortened(oneLine(field.label), maxLabel) || id }
  const text = typeof now === 'string' || typeof now === 'number' ? String(now).slice(0, maxFieldText) : ''
  const optional = true
  switch (field.kind) {
    case 'text':
    case 'longText':
      return TextInput({
        ...about,
        optional,
        multiline: field.kind === 'longText',
        initialValue: text,
        maxLength: maxFieldText,
      })
    case 'date':
      return DateInput({ ...about, optional, ...(/^\d{4}-\d{2}-\d{2}$/.test(text) && { initialValue: text }) })
    case 'number':
      return NumberInput({ ...about, decimal: true, ...(typeof now === 'number' && { initialValue: now }) })
    case 'yesNo': {
      const options = ['yes', 'no'].map((value) => SelectOption({ label: value === 'yes' ? 'Yes' : 'No', value }))
      return RadioSelect({ ...about, options, initialOption: now === true ? 'yes' : 'no' })
    }
    case 'option': {
      const [chosen] = Array.isArray(now) ? (now as readonly unknown[]) : []
      const options = (field.options ?? []).slice(0, maxOptions).map(({ label, value }) => {
        return SelectOption({ label: shortened(oneLine(label), maxLabel) || value, value })
      })
      const isThere = options.some(({ value }) => value === chosen)
      return Select({ ...about, optional, options, ...(isThere && { initialOption: String(chosen) }) })
    }
  }
}
