import { z } from 'zod'

/**
 * What helps to find a value in words; given with `.meta()` on the fields of an extraction schema. Enums are found by
 * their values, numbers by figures and letters, strings with a pattern by the pattern; these say what else there is.
 */
export interface EntityHints {
  /** Other words for the values of an enum, and for `true` and `false`. */
  readonly words?: Readonly<Record<string, readonly string[]>>
  /** The string is what comes after one of these words, such as "at" for a place. */
  readonly after?: readonly string[]
  /** The string is what is left when everything else has been found. */
  readonly rest?: boolean
  /** How the user is asked for it when it is missing. */
  readonly question?: string
  /** Ready answers to that question. */
  readonly options?: readonly string[]
}

/** A field's JSON Schema, as far as it matters here. */
export interface EntityField extends EntityHints {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, EntityField>>
  readonly required?: readonly string[]
  readonly items?: EntityField
  readonly title?: string
  readonly description?: string
}

const known = new WeakMap<z.ZodType, EntityField>()

/** What is looked for: the JSON Schema of an extraction schema, with the hints in it. */
export function entityField(schema: z.ZodType): EntityField {
  let field = known.get(schema)
  if (field === undefined) {
    field = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as EntityField
    known.set(schema, field)
  }
  return field
}
