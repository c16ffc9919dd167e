import { flowToolName } from '../definition/intent-id.ts'
import { jsonSchemaOf, type JsonSchema } from '../schemas/json-schemas.ts'
import type { RegisteredFlow } from './flow-registry.ts'

/** A flow as a tool for models: its input is what the user may have said with it. */
export interface FlowToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly intentId: string
}

const noEntities: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

export function toolDefinition({ flow, intent }: RegisteredFlow): FlowToolDefinition {
  return {
    name: flowToolName(flow.intentId),
    description: describe({ flow, ...(intent === undefined ? {} : { intent }) }),
    inputSchema: intent === undefined ? noEntities : jsonSchemaOf(intent.extractionSchema),
    intentId: flow.intentId,
  }
}

/** What a model must know to choose between flows. */
function describe({ flow, intent }: RegisteredFlow): string {
  const examples = intent?.examples ?? flow.meta.examples
  const unlike = Object.entries(intent?.disambiguateFrom ?? {})
  return [
    `${flow.meta.title}: ${flow.meta.description}`,
    ...(examples.length === 0
      ? []
      : [
          `Asked for as: ${examples
            .slice(0, 5)
            .map((each) => `"${each}"`)
            .join(', ')}.`,
        ]),
    ...(intent === undefined || intent.capabilities.length === 0 ? [] : [`It can: ${intent.capabilities.join('; ')}.`]),
    ...(intent === undefined || intent.limitations.length === 0
      ? []
      : [`It cannot: ${intent.limitations.join('; ')}.`]),
    ...unlike.map(
      ([intentId, how]) => `Not to be mistaken for ${flowToolName(intentId)}${how === '' ? '' : `: ${how}`}.`,
    ),
  ].join('\n')
}
