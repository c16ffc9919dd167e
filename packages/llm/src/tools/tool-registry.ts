import { BeachError } from '@cool-ai/beach-core'
import type { AnyTool } from './tool.ts'
import { checkedSchema, type CheckedSchema } from './tool-schema.ts'

/** A registered tool with its schemas ready for use. */
export interface RegisteredTool {
  readonly definition: AnyTool
  readonly input: CheckedSchema
  readonly output?: CheckedSchema
}

// What every provider accepts as a tool's name.
const toolName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** The tools of an application; actors take theirs by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>()

  constructor(tools: readonly AnyTool[] = []) {
    for (const tool of tools) this.register(tool)
  }

  register(definition: AnyTool): this {
    const { name, description, inputSchema, outputSchema } = definition
    if (!toolName.test(name)) {
      throw refusal(name, 'has a name that models do not accept: letters, digits, _ and -, at most 64, a letter first.')
    }
    if (name === 'respond')
      throw refusal(name, "cannot be called 'respond': every actor answers by the tool of that name.")
    if (description.trim() === '') throw refusal(name, 'has no description; a model chooses tools by it.')
    if (this.#tools.has(name)) throw refusal(name, 'is already registered.')
    const place = `The tool '${name}'`
    const input = checkedSchema(inputSchema, place)
    if (input.jsonSchema.type !== 'object') throw refusal(name, 'has an input schema that is not of an object.')
    const output = outputSchema === undefined ? undefined : { output: checkedSchema(outputSchema, place) }
    this.#tools.set(name, { definition, input: asItIsNow(definition, input), ...output })
    return this
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name)
  }

  names(): string[] {
    return [...this.#tools.keys()]
  }

  /** The tools of these names, in this order; an unknown name is an error at start-up, not in a conversation. */
  select(names: readonly string[], actor: string): RegisteredTool[] {
    return names.map((name) => {
      const tool = this.#tools.get(name)
      if (tool !== undefined) return tool
      const known = this.names().join(', ') || 'none'
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `The actor '${actor}' names the tool '${name}', which is not registered. Registered are: ${known}.`,
      )
    })
  }
}

/** The tool's present schema: the schema of a tool that asks a peer follows the peer's card. */
function asItIsNow(definition: AnyTool, first: CheckedSchema): CheckedSchema {
  let known = { given: definition.inputSchema, checked: first }
  const now = () => {
    const given = definition.inputSchema
    if (given !== known.given) known = { given, checked: checkedSchema(given, `The tool '${definition.name}'`) }
    return known.checked
  }
  return {
    get jsonSchema() {
      return now().jsonSchema
    },
    check: (value) => now().check(value),
  }
}

function refusal(name: string, problem: string): BeachError {
  return new BeachError('INVALID_REGISTRATION', `The tool '${name}' ${problem}`)
}
