import * as z from 'zod'
import { defined } from '@cool-ai/beach-core/runtime'
import { nameInWords } from '../definition/offered-events.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import type { FlowRules } from './flow-rules.ts'
import type { Values } from '../schemas/json-problem.ts'

/** A field that a person fills in to send an event without a page of the flow's own. */
export interface EventField {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  readonly required: boolean
  /** For a choice: the values, as JSON. */
  readonly choices?: readonly unknown[]
  readonly description?: string
  /** Its value before any input. */
  readonly default?: unknown
}

type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema of an event's payload, as it comes in; undefined when the event takes none. */
export function eventJsonSchema(schema: z.ZodType | undefined): JsonSchema | undefined {
  if (schema === undefined) return undefined
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}

/** The fields of the payload of an instance's event; none where the instance is gone or has no such event. */
export function fieldsOf(instance: FlowInstance | undefined, event: string, rules: FlowRules): EventField[] {
  const events = instance === undefined ? {} : rules.definitionOf(instance).events
  return fieldsIn(eventJsonSchema(Object.hasOwn(events, event) ? events[event]?.schema : undefined) ?? {})
}

function fieldsIn(schema: JsonSchema): EventField[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => fieldOf(name, property, required.includes(name)))
}

/**
 * The fields of a payload that people can fill in without writing JSON; undefined when it needs others too. Those that
 * can be left out are.
 */
export function plainFields(payload: JsonSchema | undefined): EventField[] | undefined {
  if (payload === undefined) return []
  if (payload.type !== 'object' || ['anyOf', 'oneOf', 'allOf', '$ref'].some((key) => key in payload)) return undefined
  const fields = fieldsIn(payload)
  const plain = fields.filter(isPlain)
  return fields.some((field) => field.required && !plain.includes(field)) ? undefined : plain
}

function isPlain({ kind, choices = [] }: EventField): boolean {
  return kind !== 'json' && choices.every((choice) => typeof choice !== 'object')
}

function fieldOf(name: string, given: JsonSchema, required: boolean): EventField {
  const property = withoutAlternatives(given)
  const { title, description } = property
  const base = defined({
    name,
    label: typeof title === 'string' ? title : nameInWords(name),
    required,
    description: typeof description === 'string' ? description : undefined,
    default: property.default,
  })
  if (Array.isArray(property.enum)) return { ...base, kind: 'choice', choices: property.enum as unknown[] }
  if ('const' in property) return { ...base, kind: 'choice', choices: [property.const] }
  switch (property.type) {
    case 'string':
      return { ...base, kind: 'text' }
    case 'number':
    case 'integer':
    case 'boolean':
      return { ...base, kind: property.type }
    default:
      return { ...base, kind: 'json' }
  }
}

/** A value that may also be null is filled in as if it could not be; one of several values is chosen. */
function withoutAlternatives(property: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = property as { anyOf?: readonly JsonSchema[] }
  if (!Array.isArray(anyOf)) return property
  const branches = (anyOf as readonly JsonSchema[]).filter(({ type }) => type !== 'null')
  if (branches.length === 1) return { ...branches[0], ...rest }
  return branches.every((branch) => 'const' in branch)
    ? { ...rest, enum: branches.map((branch) => branch.const) }
    : property
}

/** The payload that the user has filled in; a field that was left empty is left out. */
export function filledPayload(
  fields: readonly EventField[],
  value: (name: string) => string | undefined,
): Record<string, unknown> {
  const filled = fields.flatMap((field): [string, unknown][] => {
    const given = value(field.name)
    if (field.kind === 'boolean') return given === undefined && !field.required ? [] : [[field.name, given === 'on']]
    return given === undefined || given.trim() === '' ? [] : [[field.name, parsed(field, given)]]
  })
  return Object.fromEntries(filled)
}

/** The payload in what the fields of a surface hold: texts for numbers, lists for choices. */
export function surfacePayload(fields: readonly EventField[], form: Values): Record<string, unknown> {
  const filled = Object.entries(form).flatMap(([name, value]): [string, unknown][] => {
    const field = fields.find((one) => one.name === name)
    const isChosen = field !== undefined && field.kind !== 'json' && Array.isArray(value)
    const given: unknown = isChosen ? (value[0] ?? '') : value
    if (field === undefined || typeof given !== 'string') return [[name, given]]
    if (given.trim() !== '') return [[name, parsed(field, given)]]
    return []
  })
  return Object.fromEntries(filled)
}

function parsed({ kind, choices, label }: EventField, given: string): unknown {
  switch (kind) {
    case 'number':
    case 'integer': {
      const number = Number(given)
      if (!Number.isFinite(number)) throw new FlowError('INVALID_PAYLOAD', `“${label}” must be a number.`)
      return number
    }
    case 'choice':
      return choices?.find((choice) => String(choice) === given) ?? given
    case 'json':
      try {
        return JSON.parse(given) as unknown
      } catch {
        throw new FlowError('INVALID_PAYLOAD', `“${label}” must be JSON, such as {"key": "value"} or [1, 2].`)
      }
    default:
      return given
  }
}
