import { BeachError, patternEffort, type PatternEffort } from '@cool-ai/beach-core'
import { checkSchema, isObject, type JsonSchema } from './json-schema.ts'
import { schemaProblems } from './schema-problems.ts'

const mostCharacters = 200_000
const deepest = 40
const mostEffort = 2 ** 19
const longestText = 256

const usable = new WeakMap<JsonSchema, true>()

/**
 * What is wrong with a value by somebody else's schema, one sentence each. Throws for a schema that cannot be used: one
 * that is too large or too deep, that refers elsewhere, or that takes too long. Patterns are looked at only if they are
 * plainly harmless, and in texts that are not long.
 */
export function foreignSchemaProblems(schema: JsonSchema, value: unknown, at: string): string[] {
  if (!usable.has(schema)) {
    checkSize(schema)
    checkSchema(schema, 'The schema')
    usable.set(schema, true)
  }
  return schemaProblems(schema, value, at, { patternLooks: patternLooks() })
}

/** How many characters a pattern of somebody else's looks at in a text; undefined when it is not tried. */
function patternLooks(): (pattern: string, text: string) => number | undefined {
  const efforts = new Map<string, PatternEffort | undefined>()
  return (pattern, text) => {
    if (text.length > longestText) return undefined
    if (!efforts.has(pattern)) efforts.set(pattern, patternEffort(pattern))
    const effort = efforts.get(pattern)
    if (effort === undefined || effort.ways * longestText ** effort.endless > mostEffort) return undefined
    // Where it begins is open too, unless the pattern says so.
    const isAnchored = /^\^[^|]*$/.test(pattern)
    return effort.ways * text.length ** (effort.endless + (isAnchored ? 0 : 1))
  }
}

function checkSize(schema: JsonSchema): void {
  let level: unknown[] = [schema]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) throw unusable(`is more than ${deepest} levels deep`)
    if (level.length > mostCharacters) throw unusable('is too large')
    level = level.flatMap((item): unknown[] => (isObject(item) || Array.isArray(item) ? Object.values(item) : []))
  }
  if (JSON.stringify(schema).length > mostCharacters) throw unusable(`has more than ${mostCharacters} characters`)
}

function unusable(problem: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `The schema ${problem}.`)
}
