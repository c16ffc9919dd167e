import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'
import type { JsonSchema } from '../respond/json-schema.ts'

/** A schema that checks values and can be shown to a model. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema
  /** The value, or what is wrong with it, one sentence each. */
  check(value: unknown): { readonly value: unknown } | { readonly problems: readonly string[] }
}

/** Makes one form of both: zod schemas become JSON Schema for the model, JSON Schemas become checks. */
export function checkedSchema(schema: z.ZodType | JsonSchema, place: string): CheckedSchema {
  try {
    const validator = schema instanceof z.ZodType ? schema : z.fromJSONSchema(schema)
    const jsonSchema = schema instanceof z.ZodType ? toJsonSchema(schema) : schema
    return { jsonSchema, check: (value) => check(validator, value) }
  } catch (cause) {
    throw new BeachError('INVALID_REGISTRATION', `${place} has a schema that cannot be used.`, { cause })
  }
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return json
}

function check(validator: z.ZodType, value: unknown): ReturnType<CheckedSchema['check']> {
  const result = validator.safeParse(value)
  if (result.success) return { value: result.data }
  return { problems: result.error.issues.map((issue) => `${issue.path.join('.') || 'the input'}: ${issue.message}`) }
}
