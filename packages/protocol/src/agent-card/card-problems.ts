import { BeachError, type ErrorCode } from '@cool-ai/beach-core'
import * as z from 'zod'
import { isPlainObject } from '../plain-value.ts'

/** One thing that is wrong with an Agent Card: where, what, and what to do about it. */
export interface CardProblem {
  /** The place, such as `transports.0.auth.type`; empty for the card as a whole. */
  readonly path: string
  readonly message: string
  readonly fix: string
}

/** What a failed parse says, with what the schema describes at each place as the fix. */
export function problemsOfParse(error: z.ZodError, schema: z.ZodType, value: unknown): CardProblem[] {
  const described = z.toJSONSchema(schema, { io: 'input' })
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField([...path, key], described))
    const message = valueAt(value, path) === undefined ? 'is missing' : messageOf(issue)
    return [problem(path, message, `Give ${descriptionAt(described, path) ?? 'what the schema says'}.`)]
  })
}

/** A problem at a place, given as its steps. */
export function problem(path: readonly (string | number)[], message: string, fix: string): CardProblem {
  return { path: path.join('.'), message, fix }
}

/** The error that says all that is wrong, a line each. */
export function cardError(code: ErrorCode, problems: readonly CardProblem[]): BeachError {
  const lines = problems.map(({ path, message, fix }) => `${path === '' ? 'The card' : path} ${message}. ${fix}`)
  return new BeachError(code, lines.join('\n'), { details: { problems } })
}

/** The value as the schema has it, or the error that says what is wrong with a card. */
export function parseCard<Schema extends z.ZodType>(schema: Schema, value: unknown, place = ''): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = problemsOfParse(result.error, schema, value)
  throw cardError(
    'BAD_REQUEST',
    problems.map((one) => ({ ...one, path: [place, one.path].filter(Boolean).join('.') })),
  )
}

function unknownField(path: readonly string[], schema: JsonSchema): CardProblem {
  const known = Object.keys(schemaAt(schema, path.slice(0, -1))?.properties ?? {})
  const fix = `Known here are ${known.join(', ')}; what is your own belongs under extensions.<namespace>.`
  return problem(path, 'is not a field of an Agent Card', fix)
}

// Our own messages continue the field's name; those of the schema library are sentences of their own.
function messageOf(issue: z.core.$ZodIssue): string {
  return /^(?:is|has) /.test(issue.message) ? issue.message : `is wrong (${issue.message})`
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/** The description of a place, or of the nearest place around it that has one. */
function descriptionAt(schema: JsonSchema, path: readonly string[]): string | undefined {
  const own = schemaAt(schema, path)?.description
  return own ?? (path.length === 0 ? undefined : descriptionAt(schema, path.slice(0, -1)))
}

function schemaAt(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((at, step) => {
    const next = at?.properties?.[step] ?? at?.items ?? at?.additionalProperties
    return isPlainObject(next) ? next : undefined
  }, schema)
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined),
    value,
  )
}
