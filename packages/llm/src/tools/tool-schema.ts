import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'
import { checkSchema, schemaProblems, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'

/** A schema that checks values and can be shown to a model. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema
  /** The value, or what is wrong with it, one sentence each. */
  check(value: unknown): { readonly value: unknown } | { readonly problems: readonly string[] }
}

/** One form of both kinds: zod schemas become JSON Schema for the model, JSON Schemas become checks. */
export function checkedSchema(schema: z.ZodType | JsonSchema, place: string): CheckedSchema {
  try {
    return schema instanceof z.ZodType ? fromZod(schema) : fromJsonSchema(schema, place)
  } catch (cause) {
    throw new BeachError('INVALID_REGISTRATION', `${place} has a schema that cannot be used.`, { cause })
  }
}

/** The schema of a result: what a check makes of it goes on as data, so it must be data too. */
export function resultSchema(schema: z.ZodType | JsonSchema, place: string): CheckedSchema {
  try {
    // Throws for what is no data, such as the result of a transformation.
    if (schema instanceof z.ZodType) z.toJSONSchema(schema, { io: 'output', target: 'draft-7' })
  } catch (cause) {
    const message = `${place} has a schema whose result is no JSON. Leave transformations, dates and the like to the reader of the result.`
    throw new BeachError('INVALID_REGISTRATION', message, { cause })
  }
  return checkedSchema(schema, place)
}

function fromZod(schema: z.ZodType): CheckedSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return {
    jsonSchema,
    check(value) {
      const result = schema.safeParse(value)
      if (result.success) return { value: result.data }
      return {
        problems: result.error.issues.map((issue) => `${issue.path.join('.') || 'the input'}: ${issue.message}`),
      }
    },
  }
}

function fromJsonSchema(jsonSchema: JsonSchema, place: string): CheckedSchema {
  checkSchema(jsonSchema, place)
  return {
    jsonSchema,
    check(value) {
      const problems = schemaProblems(jsonSchema, value, 'the input')
      return problems.length === 0 ? { value } : { problems }
    },
  }
}
