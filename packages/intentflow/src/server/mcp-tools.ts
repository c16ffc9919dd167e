import type { PlainTool, ToolContext } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { FlowError } from '../schemas/flow-error.ts'
import { fieldsOf, surfacePayload } from './event-fields.ts'
import { withShow } from './flow-show.ts'
import { invokeFlow } from './hydrate.ts'
import {
  conversationOf,
  handleOf,
  placeIn,
  placeOf,
  type PeerInstance,
  derivedId,
  entitiesIn,
  instanceIn,
  openingTools,
  summaryOf,
  flowTool,
  type FlowToolContext,
} from './flow-tool-context.ts'
import { linkFor } from './readable.ts'
import { needsConfirmation, proposeEvent, sendDismissal, sendEvent, instanceResult } from './send-for-user.ts'

const handle = z.string().describe('The instanceId that opening the flow has given.')
const eventInput = z.object({
  instanceId: handle,
  event: z.string().describe('The name of one of the events that the flow offers now.'),
  payload: z.record(z.string(), z.unknown()).exactOptional().describe('What the event needs, by its schema.'),
  form: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('In place of payload: what the user has filled in on the flow’s surface. Only the surface sends it.'),
})
const confirmInput = z.object({
  instanceId: handle,
  confirmation: z.string().describe('What flow_event has given; good once, and only for the caller that got it.'),
})
const instanceInput = z.object({ instanceId: handle })

/**
 * The flows as tools for callers of MCP, without a turn. A caller may be in another conversation with every call, so its
 * handle of an instance names the session too; that the session is the caller's is checked every time. An event that the
 * user must confirm is done by a second tool, once, by the one who was asked.
 */
export function peerTools(world: FlowToolContext): PlainTool[] {
  const opening = openingTools(world, (intentId, input, context) => openForPeer(intentId, input, context, world))
  const reading = {
    ...flowTool(
      'flow_get',
      'How an open flow stands, and which events it takes now.',
      instanceInput,
      (input, context) => getForPeer(input, context, world),
    ),
    title: 'See how a flow stands',
    annotations: { readOnlyHint: true },
    idempotent: true,
  }
  const sending = {
    ...flowTool(
      'flow_event',
      'Sends an event to an open flow. What needs the user’s confirmation is not done yet: see the answer.',
      eventInput,
      (input, context) => sendForPeer(input, context, world),
    ),
    title: 'Act in a flow',
  }
  const confirming = {
    ...flowTool(
      'flow_confirm',
      'Does what flow_event has asked to be confirmed, after the user has agreed.',
      confirmInput,
      (input, context) => confirmForPeer(input, context, world),
    ),
    title: 'Confirm what a flow asks',
  }
  const dismissing = {
    ...flowTool(
      'flow_dismiss',
      'Puts an open flow away because the user does not want it any more.',
      instanceInput,
      (input, context) => dismissForPeer(input, context, world),
    ),
    title: 'Put a flow away',
  }
  return [...opening, reading, sending, confirming, dismissing].map((tool) => ({
    ...tool,
    shows: true,
    conversationIn: (input) => conversationOf(handleIn(input) ?? ''),
    handler: (input, context) => withShow(handleIn(input), context, world, async () => tool.handler(input, context)),
  }))
}

/** The instance that a call names, before anything of its input was looked at. */
function handleIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('instanceId' in input)) return undefined
  return typeof input.instanceId === 'string' ? input.instanceId : undefined
}

/** Whatever is not the caller's is not there. */
async function flowsAt({ session, by }: PeerInstance, world: FlowToolContext) {
  try {
    return await world.gateway.look(session, by)
  } catch (error) {
    throw new FlowError('INSTANCE_NOT_FOUND', undefined, { cause: error })
  }
}

/** With the handle in place of the bare id, and with the link where there is one. */
function named(answer: unknown, place: PeerInstance, world: FlowToolContext): unknown {
  const { session, instanceId, by } = place
  const link = linkFor({ session, tenant: by.tenant, instanceId }, world)
  return defined({ ...(answer as object), instanceId: handleOf(place), link })
}

async function openForPeer(intentId: string, input: unknown, context: ToolContext, world: FlowToolContext) {
  const instanceId = derivedId('flow', context.key, world)
  const place = placeIn(context, instanceId)
  const { session, by } = place
  await invokeFlow(session, { intentId, entities: entitiesIn(input), instanceId }, by, world, context.signal)
  const instance = instanceIn((await flowsAt(place, world)).flows, instanceId)
  if (instance === undefined) throw new FlowError('INSTANCE_NOT_FOUND')
  return named({ status: 'open', ...summaryOf(instanceId, instance, world), props: instance.props }, place, world)
}

async function getForPeer(input: z.infer<typeof instanceInput>, context: ToolContext, world: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  const { flows, ended } = await flowsAt(place, world)
  const instance = instanceIn(flows, place.instanceId)
  if (instance === undefined) {
    // One that never was is not one that is over.
    if (!ended.some(({ instanceId }) => instanceId === place.instanceId)) throw new FlowError('INSTANCE_NOT_FOUND')
    return named(await instanceResult(place, [], world), place, world)
  }
  return named({ status: 'open', ...summaryOf(place.instanceId, instance, world), props: instance.props }, place, world)
}

async function sendForPeer(input: z.infer<typeof eventInput>, context: ToolContext, world: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  const { event } = input
  const instance = instanceIn((await flowsAt(place, world)).flows, place.instanceId)
  const fields = () => fieldsOf(instance, event, world.rules)
  const payload = input.form === undefined ? input.payload : surfacePayload(fields(), input.form)
  const sent = { event, payload, eventId: derivedId('evt', context.key, world) }
  const answer = needsConfirmation(instance, event, world)
    ? await proposeEvent(place, sent, world)
    : await sendEvent(place, sent, world, context.signal)
  return named(answer, place, world)
}

async function confirmForPeer(input: z.infer<typeof confirmInput>, context: ToolContext, world: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  const { session, instanceId, by } = place
  await flowsAt(place, world)
  const request = { kind: 'confirm', instanceId, confirmationId: input.confirmation } as const
  const heard = await world.gateway.own(session, request, by)
  const shown = await world.gateway.outcome(session, heard, by, context.signal)
  return named(await instanceResult(place, shown, world), place, world)
}

async function dismissForPeer(input: z.infer<typeof instanceInput>, context: ToolContext, world: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  await flowsAt(place, world)
  return named(await sendDismissal(place, derivedId('evt', context.key, world), world), place, world)
}
