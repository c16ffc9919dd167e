import { BeachError } from '@cool-ai/beach-core'
import { checkSchema, isObject, type JsonSchema } from './json-schema.ts'
import { schemaProblems } from './schema-problems.ts'

const maxCharacters = 200_000
const maxDepth = 40

const usable = new WeakMap<JsonSchema, true>()

/**
 * What is wrong with a value by a foreign schema, one sentence each. Throws for a schema that cannot be used: one
 * that is too large or too deep, that refers elsewhere, or that takes too long. Patterns are matched in linear time; those
 * that look around, or refer back to a group, are not tried.
 */
export function foreignSchemaProblems(schema: JsonSchema, value: unknown, at: string): string[] {
  if (!usable.has(schema)) {
    checkSize(schema)
    checkSchema(schema, 'The schema')
    usable.set(schema, true)
  }
  return schemaProblems(schema, value, at, { isForeign: true })
}

function checkSize(schema: JsonSchema): void {
  let level: unknown[] = [schema]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw unusable(`is more than ${maxDepth} levels deep`)
    if (level.length > maxCharacters) throw unusable('is too large')
    level = level.flatMap((item): unknown[] => (isObject(item) || Array.isArray(item) ? Object.values(item) : []))
  }
  if (JSON.stringify(schema).length > maxCharacters) throw unusable(`has more than ${maxCharacters} characters`)
}

function unusable(problem: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `The schema ${problem}.`)
}
