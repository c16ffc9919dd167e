import { BeachError, type PlainTool, type Principal, type SessionView, type ToolContext } from '@cool-ai/beach-core'
import { defined, encodeId } from '@cool-ai/beach-core/runtime'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import * as z from 'zod'
import { offeredEvents } from '../definition/offered-events.ts'
import type { FlowRegistry } from '../registry/flow-registry.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import { jsonSchemaOf } from '../schemas/json-schemas.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import { eventJsonSchema } from './event-fields.ts'
import type { InvokeContext } from './hydrate.ts'
import { flowText, type ReadableContext } from './readable.ts'
import type { Values } from '../schemas/json-problem.ts'

export interface FlowToolContext extends InvokeContext, ReadableContext {
  readonly registry: FlowRegistry
  readonly secret: Secret
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
      title: entry?.flow.meta.title ?? name,
      // It shows something, and does nothing yet.
      annotations: { destructiveHint: false },
      inputSchema: isBare ? jsonSchemaOf(entry.flow.schema) : inputSchema,
      tags: ['intentflow'],
      handler: (input, context) => asToolValue(() => open(intentId, input, context)),
      isFailure,
    }
  })
}

/** A tool that acts in open flows. */
export function flowTool<Input extends z.ZodType>(
  name: string,
  description: string,
  input: Input,
  run: (input: z.infer<Input>, context: ToolContext) => Promise<unknown>,
): PlainTool {
  const handler: PlainTool['handler'] = (given, context) => asToolValue(() => run(input.parse(given), context))
  return { name, description, inputSchema: jsonSchemaOf(input), tags: ['intentflow'], handler, isFailure }
}

function isFailure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'status' in value && value.status === 'failed'
}

/** What cannot be done is a value for the model to read, not a tool that failed. */
async function asToolValue(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    const refusal = error instanceof z.ZodError ? new FlowError('INVALID_PAYLOAD', error) : error
    if (!isFlowError(refusal)) throw error
    return { status: 'failed', error: refusal.toPayload() }
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

export function entitiesIn(input: unknown): Values {
  return typeof input === 'object' && input !== null ? { ...input } : {}
}

/** An id that is the same whenever a call is run again, and that cannot be guessed. */
export function derivedId(prefix: string, key: string, { secret }: Pick<FlowToolContext, 'secret'>): string {
  const digest = hmacOf(secretKeys(secret)[0], `intentflow-${prefix}:${key}`)
  return `${prefix}_${encodeId(digest.subarray(0, 16))}`
}

export function summaryOf(instanceId: string, instance: FlowInstance, { rules }: FlowToolContext) {
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
      return defined({ event: name, label, needsConfirmation: confirm ? true : undefined, payload })
    }),
  }
}

/** An instance of a caller of MCP. */
export interface PeerInstance {
  readonly session: string
  /** What the caller knows the session by; to a guest it is the only way there. */
  readonly conversation: string
  readonly instanceId: string
  readonly by: Principal
}

type ToolSession = Pick<ToolContext, 'session' | 'conversationId'>

export function placeIn(
  { session, conversationId = session.sessionId }: ToolSession,
  instanceId: string,
): PeerInstance {
  return { session: session.sessionId, conversation: conversationId, instanceId, by: ownerOf(session) }
}

/** What callers know an instance by: it says where the instance is, since each call may be in another conversation. */
export function handleOf({ instanceId, conversation }: PeerInstance): string {
  return `${instanceId}@${conversation}`
}

export function conversationOf(handle: string): string | undefined {
  const at = handle.lastIndexOf('@')
  return at === -1 ? undefined : handle.slice(at + 1)
}

/** Where the instance of a handle is; whether it is the caller's is seen there. */
export function placeOf(handle: string, context: ToolSession): PeerInstance {
  const conversation = conversationOf(handle)
  const instanceId = conversation === undefined ? handle : handle.slice(0, -conversation.length - 1)
  const here = placeIn(context, instanceId)
  return conversation === undefined || conversation === here.conversation
    ? here
    : { ...here, session: conversation, conversation }
}
