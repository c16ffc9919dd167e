import type { ChoiceField } from '@cool-ai/beach-core/registries'
import type { Component } from '../messages.ts'
import { isPlainObject, own } from '../plain.ts'
import { absolutePath } from '../pointer.ts'

const maxFields = 20

/** What reading fields needs of a surface. */
interface FieldReading {
  readonly components: Iterable<Component>
  /** The path that the action's own paths begin with. */
  readonly base: string
  /** A value of a component as text. */
  readonly text: (value: unknown) => string
}

/**
 * The fields of a surface whose values an action sends, in their order there. None when one of them is secret, or cannot be
 * filled in by itself: then the surface is to be used as it is.
 */
export function actionFields(
  context: Readonly<Record<string, unknown>>,
  { components, base, text }: FieldReading,
): readonly ChoiceField[] {
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(context)) {
    const path = pathOf(value)
    if (path !== undefined) names.set(absolutePath(path, base), name)
  }
  if (names.size === 0) return []
  const fields: ChoiceField[] = []
  for (const component of components) {
    const path = pathOf(own(component, 'value'))
    // Fields that are repeated for each item of a list have paths within it.
    const name = path?.startsWith('/') === true ? names.get(path) : undefined
    if (name === undefined) continue
    const form = formOf(component, text)
    if (form === undefined || fields.length === maxFields) return []
    fields.push({ name, label: text(own(component, 'label')) || name, ...form })
  }
  return fields
}

function formOf(component: Component, text: FieldReading['text']): Omit<ChoiceField, 'name' | 'label'> | undefined {
  const variant = own(component, 'variant')
  switch (component.component) {
    case 'TextField':
      if (variant === 'obscured') return undefined
      return { kind: variant === 'longText' ? 'longText' : 'text' }
    case 'CheckBox':
      return { kind: 'yesNo' }
    case 'Slider':
      return { kind: 'number' }
    case 'DateTimeInput':
      return { kind: own(component, 'enableTime') === true ? 'text' : 'date' }
    case 'ChoicePicker': {
      if (variant === 'multipleSelection') return undefined
      const options = listIn(own(component, 'options')).flatMap((option) => {
        const value = own(option, 'value')
        return typeof value === 'string' ? [{ label: text(own(option, 'label')) || value, value }] : []
      })
      return options.length === 0 ? undefined : { kind: 'option', options }
    }
    default:
      return undefined
  }
}

function pathOf(value: unknown): string | undefined {
  const path = isPlainObject(value) ? own(value, 'path') : undefined
  return typeof path === 'string' ? path : undefined
}

function listIn(value: unknown) {
  return Array.isArray(value) ? value.filter(isPlainObject) : []
}
