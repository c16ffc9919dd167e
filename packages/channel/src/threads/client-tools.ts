import { isBeachError } from '@cool-ai/beach-core'
import type { ClientTool } from '@cool-ai/beach-core/ports'
import { foreignSchemaProblems, isObject, mapSubschemas, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'

/** A tool as a client's protocol has it. */
export interface GivenTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters?: unknown
}

/** A tool that actors will not be offered, and why, in a sentence that begins after its name. */
interface RefusedTool {
  readonly name: string
  readonly reason: string
}

const maxTools = 64
const maxDescription = 4_000
const maxSchema = 16_000
const maxTotal = 100_000
const tooMany = `is one too many: a client may offer ${maxTools}.`

// What every provider of models accepts as a tool's name.
const toolName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** The tools of a client that actors may be offered. Each costs every call of a model, so there are limits. */
export function clientTools(
  given: readonly GivenTool[],
  ownTools: ReadonlySet<string>,
): { readonly tools: readonly ClientTool[]; readonly refused: readonly RefusedTool[] } {
  const tools = new Map<string, ClientTool>()
  const refused: RefusedTool[] = []
  let total = 0
  // What is beyond them is not even looked at: that takes time.
  for (const { name } of given.slice(maxTools)) refused.push({ name: name.slice(0, 100), reason: tooMany })
  for (const { name, description = '', parameters } of given.slice(0, maxTools)) {
    const tool = { name, description: description.trim() || name, parameters: objectSchema(parameters) }
    const size = JSON.stringify(tool).length
    const reason =
      nameProblem(name, ownTools, tools) ??
      (description.length > maxDescription
        ? `has a description of more than ${maxDescription} characters.`
        : undefined) ??
      schemaProblem(tool.parameters) ??
      (total + size > maxTotal ? `is too much: all tools together may have ${maxTotal} characters.` : undefined)
    if (reason === undefined) {
      total += size
      tools.set(name, tool as ClientTool)
    } else refused.push({ name: name.slice(0, 100), reason })
  }
  return { tools: [...tools.values()], refused }
}

function nameProblem(name: string, ownTools: ReadonlySet<string>, tools: ReadonlyMap<string, ClientTool>) {
  if (!toolName.test(name))
    return 'has a name that models do not accept: letters, digits, _ and -, at most 64, a letter first.'
  if (name === 'respond' || ownTools.has(name)) return 'has the name of a tool of the agent. Give it another one.'
  return tools.has(name) ? 'is offered twice.' : undefined
}

/** What a client leaves out means an object of any kind. */
function objectSchema(parameters: unknown): unknown {
  if (parameters === undefined || parameters === null) return { type: 'object', properties: {} }
  if (!isObject(parameters)) return parameters
  const { $schema: _, ...schema } = parameters
  return schema.type === undefined ? { ...schema, type: 'object' } : schema
}

function schemaProblem(parameters: unknown): string | undefined {
  if (!isObject(parameters) || parameters.type !== 'object')
    return 'has parameters that are no JSON Schema of an object.'
  if (JSON.stringify(parameters).length > maxSchema) return `has parameters of more than ${maxSchema} characters.`
  try {
    foreignSchemaProblems(parameters, {}, 'the input')
    const keyword = misusedKeyword(parameters)
    return keyword && `has parameters that cannot be used. Their '${keyword}' is not what JSON Schema says.`
  } catch (error) {
    if (isBeachError(error)) return `has parameters that cannot be used. ${error.message}`
    throw error
  }
}

const typeNames: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const isList = (value: unknown) => Array.isArray(value) && value.length > 0
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) =>
    Array.isArray(value) ? isList(value) && value.every((one) => typeNames.has(one)) : typeNames.has(value),
  properties: isObject,
  required: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  enum: Array.isArray,
  anyOf: isList,
  oneOf: isList,
  allOf: isList,
  description: (value) => typeof value === 'string',
}

/** A keyword that providers of models would refuse the whole request for, and so every turn with the tool. */
function misusedKeyword(schema: JsonSchema): string | undefined {
  let found = Object.keys(forms).find((keyword) => keyword in schema && forms[keyword]?.(schema[keyword]) === false)
  mapSubschemas(schema, (inner) => {
    if (isObject(inner)) found ??= misusedKeyword(inner)
    return inner
  })
  return found
}
