import { isPlainObject } from '../plain.ts'

/** A value of the data as text: what is missing is empty, and what has parts is written as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}

/** The strings of a list; a single string is a list of one. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf)
  return value === undefined || value === null || value === '' ? [] : [textOf(value)]
}

/** One of the names that are known, or the first of them. */
export function oneOf<const Names extends readonly [string, ...string[]]>(value: unknown, names: Names): Names[number] {
  return names.find((name) => name === value) ?? names[0]
}

/** Calls the setter that a bound property comes with. */
export function write(setter: unknown, value: unknown): void {
  if (typeof setter === 'function') (setter as (value: unknown) => void)(value)
}

/** What assistive technology is told of a component. */
export function spokenOf(accessibility: unknown): {
  readonly label?: string | undefined
  readonly description?: string | undefined
} {
  if (!isPlainObject(accessibility)) return {}
  const { label, description } = accessibility
  return { label: textOf(label) || undefined, description: textOf(description) || undefined }
}
