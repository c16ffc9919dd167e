import { defined } from '@cool-ai/beach-core/runtime'
import { flowToolName } from '../definition/intent.ts'
import { jsonSchemaOf, type JsonSchema } from '../schemas/json-schemas.ts'
import type { RegisteredFlow } from './flow-registry.ts'
import type { Flow } from '../definition/flow.ts'

/** What clients are told of the flows that there are. */
export type CapabilityManifest = ReturnType<typeof capabilityManifest>

/** What a server can do with flows, as JSON. */
export function capabilityManifest(entries: readonly RegisteredFlow[], categories: readonly FlowCategory[]) {
  return { protocol: 'intentflow', v: 1, flows: entries.map(capabilityOf), categories } as const
}

function capabilityOf({ flow, intent }: RegisteredFlow) {
  const { meta, machine } = flow
  return defined({
    intentId: flow.intentId,
    version: flow.version,
    tool: flowToolName(flow.intentId),
    title: meta.title,
    description: meta.description,
    category: meta.category,
    displayMode: meta.displayMode,
    states: machine.states,
    finalStates: machine.states.filter((state) => machine.isFinal(state)),
    events: Object.entries(flow.events).map(([name, { source, label, confirm, schema }]) => {
      return defined({ name, source, label, confirm, payloadSchema: schema && jsonSchemaOf(schema) })
    }),
    propsSchema: jsonSchemaOf(flow.schema),
    entitiesSchema: intent && jsonSchemaOf(intent.extractionSchema),
    permissions: flow.permissions,
    examples: intent?.examples ?? meta.examples,
    capabilities: intent?.capabilities ?? [],
    limitations: intent?.limitations ?? [],
    related: intent?.related ?? [],
  })
}

/** What a category of flows is made of. */
export interface FlowCategoryOptions {
  readonly id: string
  readonly label?: string | undefined
  readonly description?: string | undefined
  readonly icon?: string | undefined
}

/** A category of flows, with its name. */
export interface FlowCategory extends FlowCategoryOptions {
  readonly label: string
  readonly flows: readonly string[]
}

/** The categories that flows are in, by name; one without a description is called by its id. */
export function categoriesOf(
  flows: readonly Flow[],
  described: ReadonlyMap<string, FlowCategoryOptions>,
): FlowCategory[] {
  const found = new Map<string, string[]>()
  for (const { intentId, meta } of flows) {
    if (meta.category !== undefined) found.set(meta.category, [...(found.get(meta.category) ?? []), intentId])
  }
  return [...found]
    .map(([id, ids]) => {
      const about = described.get(id)
      return { id, ...about, label: about?.label ?? labelOf(id), flows: ids.toSorted() }
    })
    .toSorted((a, b) => (a.label < b.label ? -1 : 1))
}

function labelOf(id: string): string {
  const words = id.replaceAll(/[._-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

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
    description: describe({ flow, intent }),
    inputSchema: intent === undefined ? noEntities : jsonSchemaOf(intent.extractionSchema),
    intentId: flow.intentId,
  }
}

function listed(what: string, items: readonly string[] = [], separator = '; '): string[] {
  return items.length === 0 ? [] : [`${what}: ${items.join(separator)}.`]
}

/** What a model must know to choose between flows. */
function describe({ flow, intent }: RegisteredFlow): string {
  const examples = intent?.examples ?? flow.meta.examples
  const unlike = Object.entries(intent?.disambiguateFrom ?? {})
  return [
    `${flow.meta.title}: ${flow.meta.description}`,
    ...listed(
      'Asked for as',
      examples.slice(0, 5).map((each) => `"${each}"`),
      ', ',
    ),
    ...listed('It can', intent?.capabilities),
    ...listed('It cannot', intent?.limitations),
    ...unlike.map(
      ([intentId, how]) => `Not to be mistaken for ${flowToolName(intentId)}${how === '' ? '' : `: ${how}`}.`,
    ),
  ].join('\n')
}
