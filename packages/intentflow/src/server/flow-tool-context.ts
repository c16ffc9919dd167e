import { BeachError, type PlainTool, type Principal, type SessionView, type ToolContext } from '@cool-ai/beach-core'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import * as z from 'zod'
import { offeredEvents } from '../definition/index.ts'
import type { FlowRegistry } from '../registry/index.ts'
import { FlowError, isFlowError, jsonSchemaOf } from '../schemas/index.ts'
import type { ActiveFlows, FlowInstance } from '../state/index.ts'
import { eventJsonSchema } from './event-fields.ts'
import type { InvokeContext } from './invoke-flow.ts'
import { flowText, type ReadableContext } from './readable.ts'

/** What the tools need of the engine. */
export interface FlowToolContext extends InvokeContext, ReadableContext {
  readonly registry: FlowRegistry
  readonly secret: Secret
}

/** An instance as a model is told of it. */
export interface FlowSummary {
  readonly instanceId: string
  readonly intentId: string
  readonly title: string
  readonly state: string
  readonly isFinal: boolean
  readonly text: string
  readonly events: readonly {
    readonly event: string
    readonly label: string
    readonly needsConfirmation?: true
    readonly payload?: Readonly<Record<string, unknown>>
  }[]
  /** Where the user can go on with it themselves. */
  readonly link?: string
}

/** A tool for each flow; without an intent and a hydrator its input is what the flow is shown with. */
export function openingTools(
  { registry }: FlowToolContext,
  open: (intentId: string, input: unknown, context: ToolContext) => Promise<unknown>,
): PlainTool[] {
  return registry.toToolDefinitions().map(({ name, description, inputSchema, intentId }) => {
    const entry = registry.get(intentId)
    const isBare = entry !== undefined && entry.intent === undefined && entry.hydrator === undefined
    return {
      name,
      description,
      inputSchema: isBare ? jsonSchemaOf(entry.flow.schema) : inputSchema,
      tags: ['intentflow'],
      handler: (input, context) => asToolValue(() => open(intentId, input, context)),
    }
  })
}

/** What cannot be done is a value for the model to read, not a tool that failed. */
export async function asToolValue(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof z.ZodError)
      return { status: 'failed', error: new FlowError('INVALID_PAYLOAD', error).toPayload() }
    if (!isFlowError(error)) throw error
    return { status: 'failed', error: error.toPayload() }
  }
}

export function ownerOf({ owner }: SessionView): Principal {
  if (owner === undefined) throw new BeachError('NOT_FOUND', 'This conversation no longer has an owner.')
  return owner
}

/** The instance of an id that a caller has given, which may be no id at all. */
export function instanceIn(flows: ActiveFlows, instanceId: string): FlowInstance | undefined {
  return Object.hasOwn(flows, instanceId) ? flows[instanceId] : undefined
}

export function entitiesIn(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? { ...input } : {}
}

/** An id that is the same whenever a call is run again, and that cannot be guessed. */
export function derivedId(prefix: string, key: string, { secret }: Pick<FlowToolContext, 'secret'>): string {
  const digest = hmacOf(secretKeys(secret)[0], `intentflow-${prefix}:${key}`)
  return `${prefix}_${encodeId(digest.subarray(0, 16))}`
}

export function summaryOf(
  instanceId: string,
  instance: FlowInstance,
  { rules }: Pick<FlowToolContext, 'rules'>,
): FlowSummary {
  const flow = rules.definitionOf(instance)
  return {
    instanceId,
    intentId: instance.intentId,
    title: flow.meta.title,
    state: instance.state,
    isFinal: flow.machine.isFinal(instance.state),
    text: flowText(rules, instanceId, instance),
    events: offeredEvents(flow, instance).map(({ name, label }) => {
      const payload = eventJsonSchema(flow.events[name]?.schema)
      const confirm = flow.events[name]?.confirm === true
      return { event: name, label, ...(confirm && { needsConfirmation: true }), ...(payload && { payload }) }
    }),
  }
}
