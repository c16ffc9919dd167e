import type { EditableArgument } from '@cool-ai/beach-protocol/approval-words'

/** The arguments that an approver has changed, with their new values. */
export type ChangedArguments = Readonly<Record<string, unknown>>

/** The form field for an argument, with what it shows. */
export type ArgumentField =
  | { readonly kind: 'choice'; readonly value: string; readonly choices: readonly unknown[] }
  | { readonly kind: 'checkbox'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number | ''; readonly step: 1 | 'any' }
  | { readonly kind: 'text'; readonly value: string }

/** The form field for an argument that may be changed before approving; the agent checks the value by the tool's schema. */
export function argumentField({ name, schema, given }: EditableArgument, changed: ChangedArguments): ArgumentField {
  const value = Object.hasOwn(changed, name) ? changed[name] : given
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) return { kind: 'choice', value: String(value), choices }
  if (type === 'boolean') return { kind: 'checkbox', value: value === true }
  if (type === 'number' || type === 'integer') {
    const shown = typeof value === 'number' && !Number.isNaN(value) ? value : ''
    return { kind: 'number', value: shown, step: type === 'integer' ? 1 : 'any' }
  }
  return { kind: 'text', value: typeof value === 'string' ? value : '' }
}

/** The changed arguments with one more; an argument that has its given value again is not among them. */
export function changeArgument(
  changed: ChangedArguments,
  { name, given }: EditableArgument,
  value: unknown,
): ChangedArguments {
  const { [name]: _, ...others } = changed
  return value === given ? others : { ...others, [name]: value }
}

/** What an approval lets run, in a sentence next to its button. */
export function whatRuns(changed: ChangedArguments, allow: unknown): string {
  const values = Object.keys(changed).length === 0 ? 'with exactly these values' : 'with the values as you changed them'
  return allow === undefined ? `It runs once, ${values}.` : `It runs ${values}, and again without asking.`
}
