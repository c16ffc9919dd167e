import { flowToolName } from '../definition/intent-id.ts'
import type { FlowPermissions } from '../definition/permissions.ts'
import { jsonSchemaOf, type JsonSchema } from '../schemas/json-schemas.ts'
import type { DisplayMode } from '../schemas/server-payloads.ts'
import type { FlowCategory } from './categories.ts'
import type { RegisteredFlow } from './flow-registry.ts'

/** What there is to be known of one flow. */
export interface FlowCapability {
  readonly intentId: string
  readonly version: string
  readonly tool: string
  readonly title: string
  readonly description: string
  readonly category?: string
  readonly displayMode: DisplayMode
  readonly states: readonly string[]
  readonly finalStates: readonly string[]
  readonly events: readonly FlowEventCapability[]
  readonly propsSchema: JsonSchema
  readonly entitiesSchema?: JsonSchema
  readonly permissions: FlowPermissions
  readonly examples: readonly string[]
  readonly capabilities: readonly string[]
  readonly limitations: readonly string[]
  readonly related: readonly string[]
}

export interface FlowEventCapability {
  readonly name: string
  readonly source: 'client' | 'server'
  readonly label?: string
  readonly confirm?: boolean
  readonly payloadSchema?: JsonSchema
}

/** What a server can do with flows, as JSON. */
export interface CapabilityManifest {
  readonly protocol: 'intentflow'
  readonly v: 1
  readonly flows: readonly FlowCapability[]
  readonly categories: readonly FlowCategory[]
}

export function capabilityManifest(
  entries: readonly RegisteredFlow[],
  categories: readonly FlowCategory[],
): CapabilityManifest {
  return { protocol: 'intentflow', v: 1, flows: entries.map(capabilityOf), categories }
}

function capabilityOf({ flow, intent }: RegisteredFlow): FlowCapability {
  const { meta, machine } = flow
  return {
    intentId: flow.intentId,
    version: flow.version,
    tool: flowToolName(flow.intentId),
    title: meta.title,
    description: meta.description,
    ...(meta.category === undefined ? {} : { category: meta.category }),
    displayMode: meta.displayMode,
    states: machine.states,
    finalStates: machine.states.filter((state) => machine.isFinal(state)),
    events: Object.entries(flow.events).map(([name, { source, label, confirm, schema }]) => ({
      name,
      source,
      ...(label === undefined ? {} : { label }),
      ...(confirm === undefined ? {} : { confirm }),
      ...(schema === undefined ? {} : { payloadSchema: jsonSchemaOf(schema) }),
    })),
    propsSchema: jsonSchemaOf(flow.schema),
    ...(intent === undefined ? {} : { entitiesSchema: jsonSchemaOf(intent.extractionSchema) }),
    permissions: flow.permissions,
    examples: intent?.examples ?? meta.examples,
    capabilities: intent?.capabilities ?? [],
    limitations: intent?.limitations ?? [],
    related: intent?.related ?? [],
  }
}
