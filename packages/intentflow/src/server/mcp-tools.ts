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
export function peerTools(toolContext: FlowToolContext): PlainTool[] {
  const opening = openingTools(toolContext, (intentId, input, context) =>
    openForPeer(intentId, input, context, toolContext),
  )
  const reading = {
    ...flowTool(
      'flow_get',
      'How an open flow stands, and which events it takes now.',
      instanceInput,
      (input, context) => getForPeer(input, context, toolContext),
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
      (input, context) => sendForPeer(input, context, toolContext),
    ),
    title: 'Act in a flow',
  }
  const confirming = {
    ...flowTool(
      'flow_confirm',
      'Does what flow_event has asked to be confirmed, after the user has agreed.',
      confirmInput,
      (input, context) => confirmForPeer(input, context, toolContext),
    ),
    title: 'Confirm what a flow asks',
  }
  const dismissing = {
    ...flowTool(
      'flow_dismiss',
      'Puts an open flow away because the user does not want it any more.',
      instanceInput,
      (input, context) => dismissForPeer(input, context, toolContext),
    ),
    title: 'Put a flow away',
  }
  return [...opening, reading, sending, confirming, dismissing].map((tool) => ({
    ...tool,
    shows: true,
    conversationIn: (input) => conversationOf(handleIn(input) ?? ''),
    handler: (input, context) =>
      withShow(handleIn(input), context, toolContext, async () => tool.handler(input, context)),
  }))
}

/** The instance that a call names, before anything of its input was looked at. */
function handleIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('instanceId' in input)) return undefined
  return typeof input.instanceId === 'string' ? input.instanceId : undefined
}

/** Whatever is not the caller's is not there. */
async function flowsAt({ session, by }: PeerInstance, toolContext: FlowToolContext) {
  try {
    return await toolContext.gateway.look(session, by)
  } catch (error) {
    throw new FlowError('INSTANCE_NOT_FOUND', undefined, { cause: error })
  }
}

/** With the handle in place of the bare id, and with the link where there is one. */
function named(answer: unknown, place: PeerInstance, toolContext: FlowToolContext): unknown {
  const { session, instanceId, by } = place
  const link = linkFor({ session, tenant: by.tenant, instanceId }, toolContext)
  return defined({ ...(answer as object), instanceId: handleOf(place), link })
}

async function openForPeer(intentId: string, input: unknown, context: ToolContext, toolContext: FlowToolContext) {
  const instanceId = derivedId('flow', context.key, toolContext)
  const place = placeIn(context, instanceId)
  const { session, by } = place
  await invokeFlow(session, { intentId, entities: entitiesIn(input), instanceId }, by, toolContext, context.signal)
  const instance = instanceIn((await flowsAt(place, toolContext)).flows, instanceId)
  if (instance === undefined) throw new FlowError('INSTANCE_NOT_FOUND')
  return named(
    { status: 'open', ...summaryOf(instanceId, instance, toolContext), props: instance.props },
    place,
    toolContext,
  )
}

async function getForPeer(input: z.infer<typeof instanceInput>, context: ToolContext, toolContext: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  const { flows, ended } = await flowsAt(place, toolContext)
  const instance = instanceIn(flows, place.instanceId)
  if (instance === undefined) {
    // One that never was is not one that is over.
    if (!ended.some(({ instanceId }) => instanceId === place.instanceId)) throw new FlowError('INSTANCE_NOT_FOUND')
    return named(await instanceResult(place, [], toolContext), place, toolContext)
  }
  return named(
    { status: 'open', ...summaryOf(place.instanceId, instance, toolContext), props: instance.props },
    place,
    toolContext,
  )
}

async function sendForPeer(input: z.infer<typeof eventInput>, context: ToolContext, toolContext: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  const { event } = input
  const instance = instanceIn((await flowsAt(place, toolContext)).flows, place.instanceId)
  const fields = () => fieldsOf(instance, event, toolContext.rules)
  const payload = input.form === undefined ? input.payload : surfacePayload(fields(), input.form)
  const sent = { event, payload, eventId: derivedId('evt', context.key, toolContext) }
  const answer = needsConfirmation(instance, event, toolContext)
    ? await proposeEvent(place, sent, toolContext)
    : await sendEvent(place, sent, toolContext, context.signal)
  return named(answer, place, toolContext)
}

async function confirmForPeer(input: z.infer<typeof confirmInput>, context: ToolContext, toolContext: FlowToolContext) {
  const place = placeOf(input.instanceId, context)
  const { session, instanceId, by } = place
  await flowsAt(place, toolContext)
  const request = { kind: 'confirm', instanceId, confirmationId: input.confirmation } as const
  const reply = await toolContext.gateway.own(session, request, by)
  const shown = await toolContext.gateway.outcome(session, reply, by, context.signal)
  return named(await instanceResult(place, shown, toolContext), place, toolContext)
}

async function dismissForPeer(
  input: z.infer<typeof instanceInput>,
  context: ToolContext,
  toolContext: FlowToolContext,
) {
  const place = placeOf(input.instanceId, context)
  await flowsAt(place, toolContext)
  return named(await sendDismissal(place, derivedId('evt', context.key, toolContext), toolContext), place, toolContext)
}
