import { createHmac } from 'node:crypto'
import {
  BeachError,
  encodeId,
  type PlainTool,
  type Principal,
  type SessionView,
  type ToolContext,
} from '@cool-ai/beach-core'
import * as z from 'zod'
import type { FlowRegistry } from '../registry/index.ts'
import { FlowError, isFlowError, jsonSchemaOf, type ErrorPayload, type ServerEvent } from '../schemas/index.ts'
import type { ActiveFlows, FlowInstance } from '../state/index.ts'
import { eventJsonSchema } from './event-fields.ts'
import type { Confirmation } from './flows-state.ts'
import { invokeFlow, type InvokeWorld } from './invoke-flow.ts'
import { flowText, linkPath, offeredEvents, type ReadableWorld } from './readable.ts'

/** What the tools need of the engine. */
export interface ToolWorld extends InvokeWorld, ReadableWorld {
  readonly registry: FlowRegistry
  readonly secret: Uint8Array
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

const eventInput = z.object({
  instanceId: z
    .string()
    .exactOptional()
    .describe('Which flow; when left out, the one that changed last and takes the event.'),
  event: z.string().describe('The name of one of the events that the flow offers now.'),
  payload: z.record(z.string(), z.unknown()).exactOptional().describe('What the event needs, by its schema.'),
})
const dismissInput = z.object({ instanceId: z.string().exactOptional() })

/** The flows as tools of an actor's turn: each opens one; further ones act in those that are open. */
export function turnTools(world: ToolWorld): PlainTool[] {
  const advice = 'Shows this flow to the user, who goes on in it. Say only briefly that it is there.'
  const invoking = openingTools(world, (intentId, input, context) => openInTurn(intentId, input, context, world))
  return [
    ...invoking.map((tool) => ({ ...tool, description: `${tool.description}\n${advice}`, idempotent: true })),
    {
      name: 'flow_list',
      description: 'Lists the flows that are open for the user: how each stands, and which events it takes now.',
      inputSchema: jsonSchemaOf(z.object({})),
      idempotent: true,
      tags: ['intentflow'],
      handler: (_, { session }) => told(() => listFlows(session, world)),
    },
    {
      name: 'flow_event',
      description:
        'Does in an open flow what the user has just asked for in words, such as changing, confirming or going back. ' +
        'Only what the user has asked for.',
      inputSchema: jsonSchemaOf(eventInput),
      idempotent: true,
      tags: ['intentflow'],
      handler: (input, context) => told(() => sendInTurn(eventInput.parse(input), context, world)),
    },
    {
      name: 'flow_dismiss',
      description: 'Puts an open flow away because the user does not want it any more.',
      inputSchema: jsonSchemaOf(dismissInput),
      idempotent: true,
      tags: ['intentflow'],
      handler: (input, context) => told(() => dismissFlow(dismissInput.parse(input), context, world)),
    },
  ]
}

/** A tool for each flow; without an intent and a hydrator its input is what the flow is shown with. */
export function openingTools(
  { registry }: ToolWorld,
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
      handler: (input, context) => told(() => open(intentId, input, context)),
    }
  })
}

/** What cannot be done is a value for the model to read, not a tool that failed. */
export async function told(run: () => Promise<unknown>): Promise<unknown> {
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
  if (owner === undefined) throw new BeachError('NOT_FOUND', 'This conversation belongs to nobody any more.')
  return owner
}

/** Shows a flow in the turn: the render is a part of its answer, so that mail and phones get it too. */
async function openInTurn(intentId: string, input: unknown, context: ToolContext, world: ToolWorld): Promise<unknown> {
  const by = ownerOf(context.session)
  const { sessionId } = context.session
  const instanceId = derivedId('flow', context.key, world)
  const invocation = { intentId, entities: entitiesIn(input), instanceId, isPrepared: true }
  const data = await invokeFlow(sessionId, invocation, by, world, context.signal)
  if (data !== undefined) {
    const metadata = { session: sessionId, tenant: by.tenant }
    await context.emit([{ partType: 'intentflow.render', data, metadata }])
  }
  const { flows } = await world.door.look(sessionId, by)
  const instance = flows[instanceId]
  return instance === undefined
    ? { status: 'ended', instanceId, intentId }
    : { status: 'shown', ...summaryOf(instanceId, instance, world) }
}

export function entitiesIn(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? { ...input } : {}
}

/** An id that is the same whenever a call is run again, and that nobody can guess. */
export function derivedId(prefix: string, key: string, { secret }: Pick<ToolWorld, 'secret'>): string {
  const digest = createHmac('sha256', secret).update(`intentflow-${prefix}:${key}`).digest()
  return `${prefix}_${encodeId(digest.subarray(0, 16))}`
}

export async function listFlows(session: SessionView, world: ToolWorld): Promise<{ flows: FlowSummary[] }> {
  const { flows } = await world.door.look(session.sessionId, ownerOf(session))
  return { flows: Object.entries(flows).map(([instanceId, instance]) => summaryOf(instanceId, instance, world)) }
}

export function summaryOf(
  instanceId: string,
  instance: FlowInstance,
  { rules }: Pick<ToolWorld, 'rules'>,
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

/** The link by which the user can go on with an instance. */
export function linkFor(session: string, tenant: string, instanceId: string, world: ReadableWorld): string | undefined {
  if (world.publicUrl === undefined) return undefined
  const token = world.tokens.sign({ session, tenant, instanceId })
  return `${world.publicUrl.replace(/\/+$/, '')}${linkPath(token)}`
}

async function sendInTurn(input: z.infer<typeof eventInput>, context: ToolContext, world: ToolWorld): Promise<unknown> {
  const by = ownerOf(context.session)
  const { sessionId } = context.session
  const { flows } = await world.door.look(sessionId, by)
  const { event, payload } = input
  const instanceId = input.instanceId ?? (await targetInTurn(flows, event, context, world))
  const eventId = derivedId('evt', context.key, world)
  if (needsConfirmation(flows[instanceId], event, world)) {
    if (context.approve === undefined) {
      return proposeEvent(sessionId, { instanceId, event, eventId, ...(payload && { payload }) }, by, world)
    }
    const args = { instanceId, event, ...(payload && { payload }) }
    const { decision, reason } = await context.approve({ toolName: 'flow_event', args })
    if (decision === 'denied') return { status: 'denied', reason: reason ?? 'The user has not confirmed this.' }
  }
  return sendEvent(sessionId, { instanceId, event, eventId, ...(payload && { payload }) }, by, world, context.signal)
}

export interface SentEvent {
  readonly instanceId: string
  readonly event: string
  readonly eventId: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** True for an event that only the user may decide on. */
export function needsConfirmation(instance: FlowInstance | undefined, event: string, { rules }: ToolWorld): boolean {
  if (instance === undefined) return false
  const { events } = rules.definitionOf(instance)
  return Object.hasOwn(events, event) && events[event]?.confirm === true
}

/** Keeps an event until the user has confirmed it. */
export async function proposeEvent(
  session: string,
  sent: SentEvent,
  by: Principal,
  world: ToolWorld,
): Promise<unknown> {
  const { answer } = await world.door.own(session, { kind: 'propose', ...sent }, by)
  const { confirmationId, expiresAt, event, payload } = answer as Confirmation
  return {
    status: 'confirmation_required',
    confirmation: confirmationId,
    expiresAt: new Date(expiresAt).toISOString(),
    event,
    ...(payload && { payload }),
    message: 'Tell the user what is going to happen, and only after they have agreed call flow_confirm with this.',
  }
}

/** Sends an event for the user, and waits for what comes of it. */
export async function sendEvent(
  session: string,
  { instanceId, event, eventId, payload }: SentEvent,
  by: Principal,
  world: ToolWorld,
  signal: AbortSignal,
): Promise<unknown> {
  const value = { v: 1, eventId, instanceId, event, ...(payload && { payload }) }
  const said = { events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] }
  const heard = await world.door.say(session, said, by)
  const [result] = heard.answer.results
  if (result?.status === 'rejected') return { status: 'failed', error: result.error }
  const shown = await world.door.outcome(session, heard, by, signal)
  return standing(session, instanceId, shown, by, world)
}

/** How an instance stands after something was done, with the errors that came of it. */
export async function standing(
  session: string,
  instanceId: string,
  shown: readonly ServerEvent[],
  by: Principal,
  world: ToolWorld,
): Promise<unknown> {
  const errors = shown.flatMap((one): ErrorPayload[] => (one.name === 'intentflow.error' ? [one.value] : []))
  const { flows, ended } = await world.door.look(session, by)
  const instance = flows[instanceId]
  const problem = errors.length === 0 ? {} : { error: errors.at(-1) }
  const status = errors.length === 0 ? 'done' : 'failed'
  if (instance !== undefined) return { status, ...problem, ...summaryOf(instanceId, instance, world) }
  const over = ended.findLast((one) => one.instanceId === instanceId)
  return { status, ...problem, instanceId, isFinal: true, ...(over && { state: over.state, reason: over.reason }) }
}

/** The same flow when the call is run again, though by then it may have moved on. */
async function targetInTurn(
  flows: ActiveFlows,
  event: string,
  context: ToolContext,
  world: ToolWorld,
): Promise<string> {
  const noted = (context.noted as { readonly instanceId?: string } | undefined)?.instanceId
  if (noted !== undefined) return noted
  const instanceId = targetOf(flows, event, world)
  await context.note?.({ instanceId })
  return instanceId
}

/** The flow that is meant when nobody says which: the one that changed last and takes the event. */
function targetOf(flows: ActiveFlows, event: string | undefined, { rules }: ToolWorld): string {
  const found = Object.entries(flows)
    .toSorted(([, a], [, b]) => b.updatedAt - a.updatedAt)
    .find(([, instance]) => {
      const flow = rules.definitionOf(instance)
      return event === undefined || offeredEvents(flow, instance).some(({ name }) => name === event)
    })
  if (found !== undefined) return found[0]
  const message = event === undefined ? 'No flow is open.' : `No open flow takes the event “${event}” now.`
  throw new FlowError('INSTANCE_NOT_FOUND', message)
}

async function dismissFlow(
  input: z.infer<typeof dismissInput>,
  context: ToolContext,
  world: ToolWorld,
): Promise<unknown> {
  const by = ownerOf(context.session)
  const { sessionId } = context.session
  const instanceId = input.instanceId ?? targetOf((await world.door.look(sessionId, by)).flows, undefined, world)
  return sendDismissal(sessionId, { instanceId, eventId: derivedId('evt', context.key, world) }, by, world)
}

export async function sendDismissal(
  session: string,
  { instanceId, eventId }: Pick<SentEvent, 'instanceId' | 'eventId'>,
  by: Principal,
  world: ToolWorld,
): Promise<unknown> {
  const value = { v: 1, eventId, instanceId, reason: 'user_cancelled' }
  const said = { events: [{ type: 'CUSTOM', name: 'intentflow.dismiss_request', value }] }
  const [result] = (await world.door.say(session, said, by)).answer.results
  return result?.status === 'rejected' ? { status: 'failed', error: result.error } : { status: 'dismissed', instanceId }
}
