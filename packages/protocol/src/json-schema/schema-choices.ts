import type { CheckEffort } from './check-effort.ts'
import type { JsonSchema } from './json-schema.ts'

/** The values that an `enum` or a `const` allows. */
interface Choices {
  readonly scalars: ReadonlySet<unknown>
  readonly others: readonly object[]
  /** All of them, as a problem names them. */
  readonly said: string
}

// There can be many choices, and many values to compare them with.
const known = new WeakMap<JsonSchema, readonly Choices[]>()

/** The choices of a schema, all of which count; none when it leaves the value open. */
export function choicesOf(schema: JsonSchema): readonly Choices[] {
  if (schema.enum === undefined && !('const' in schema)) return []
  const choices = known.get(schema) ?? [
    ...(Array.isArray(schema.enum) ? [toChoices(schema.enum)] : []),
    ...('const' in schema ? [toChoices([schema.const])] : []),
  ]
  known.set(schema, choices)
  return choices
}

function toChoices(given: readonly unknown[]): Choices {
  return {
    scalars: new Set(given.filter((choice) => !isComposite(choice))),
    others: given.filter(isComposite),
    said: given.map((choice) => JSON.stringify(choice)).join(' or '),
  }
}

/** The value is looked at only as far as the choices reach: it can be much larger than they are. */
export function isChoice({ scalars, others }: Choices, value: unknown, effort: CheckEffort): boolean {
  if (!isComposite(value)) return scalars.has(value)
  return others.some((choice) => isEqual(choice, value, effort))
}

function isEqual(choice: unknown, value: unknown, effort: CheckEffort): boolean {
  if (!isComposite(choice) || !isComposite(value)) return choice === value
  if (Array.isArray(choice) || Array.isArray(value)) {
    if (!Array.isArray(choice) || !Array.isArray(value) || choice.length !== value.length) return false
    return choice.every((item, index) => isEqual(item, value[index], effort))
  }
  const members = Object.entries(choice)
  const keys = Object.keys(value)
  effort.spend(keys.length)
  if (members.length !== keys.length) return false
  const given = value as Readonly<Record<string, unknown>>
  return members.every(([key, member]) => Object.hasOwn(given, key) && isEqual(member, given[key], effort))
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
