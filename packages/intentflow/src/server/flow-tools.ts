import type { PlainTool, SessionView, ToolContext } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { offeredEvents } from '../definition/offered-events.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { invokeFlow } from './hydrate.ts'
import { needsConfirmation, proposeEvent, sendDismissal, sendEvent } from './send-for-user.ts'
import {
  derivedId,
  entitiesIn,
  instanceIn,
  openingTools,
  ownerOf,
  summaryOf,
  flowTool,
  type FlowToolContext,
} from './flow-tool-context.ts'

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
export function turnTools(toolContext: FlowToolContext): PlainTool[] {
  const advice = 'Shows this flow to the user, who goes on in it. Say only briefly that it is there.'
  const acting = [
    flowTool(
      'flow_list',
      'Lists the flows that are open for the user: how each stands, and which events it takes now.',
      z.object({}),
      (_, { session }) => listFlows(session, toolContext),
    ),
    flowTool(
      'flow_event',
      'Does in an open flow what the user has just asked for in words, such as changing, confirming or going back. ' +
        'Only what the user has asked for.',
      eventInput,
      (input, context) => sendInTurn(input, context, toolContext),
    ),
    flowTool(
      'flow_dismiss',
      'Puts an open flow away because the user does not want it any more.',
      dismissInput,
      (input, context) => dismissFlow(input, context, toolContext),
    ),
  ]
  const invoking = openingTools(toolContext, (intentId, input, context) =>
    openInTurn(intentId, input, context, toolContext),
  )
  return [
    ...invoking.map((tool) => ({ ...tool, description: `${tool.description}\n${advice}`, idempotent: true })),
    ...acting.map((tool) => ({ ...tool, idempotent: true })),
  ]
}

/** Shows a flow in the turn: the render is a part of its answer, so that mail and phones get it too. */
async function openInTurn(intentId: string, input: unknown, context: ToolContext, toolContext: FlowToolContext) {
  const by = ownerOf(context.session)
  const { sessionId } = context.session
  const instanceId = derivedId('flow', context.key, toolContext)
  const invocation = { intentId, entities: entitiesIn(input), instanceId, isPrepared: true }
  const data = await invokeFlow(sessionId, invocation, by, toolContext, context.signal)
  if (data !== undefined) {
    const metadata = { session: sessionId, tenant: by.tenant }
    await context.emit([{ partType: 'intentflow.render', data, metadata }])
  }
  const { flows } = await toolContext.gateway.look(sessionId, by)
  const instance = flows[instanceId]
  return instance === undefined
    ? { status: 'ended', instanceId, intentId }
    : { status: 'shown', ...summaryOf(instanceId, instance, toolContext) }
}

async function listFlows(session: SessionView, toolContext: FlowToolContext) {
  const { flows } = await toolContext.gateway.look(session.sessionId, ownerOf(session))
  const known = Object.entries(flows).filter(
    ([, instance]) => toolContext.rules.knownDefinitionOf(instance) !== undefined,
  )
  return { flows: known.map(([instanceId, instance]) => summaryOf(instanceId, instance, toolContext)) }
}

async function sendInTurn(input: z.infer<typeof eventInput>, context: ToolContext, toolContext: FlowToolContext) {
  const by = ownerOf(context.session)
  const { sessionId: session } = context.session
  const { flows } = await toolContext.gateway.look(session, by)
  const { event, payload } = input
  const instanceId = input.instanceId ?? (await targetInTurn(flows, event, context, toolContext))
  const place = { session, instanceId, by }
  const sent = { event, payload, eventId: derivedId('evt', context.key, toolContext) }
  if (needsConfirmation(instanceIn(flows, instanceId), event, toolContext)) {
    if (context.approve === undefined) return proposeEvent(place, sent, toolContext)
    const args = defined({ instanceId, event, payload })
    const { decision, reason } = await context.approve({ toolName: 'flow_event', args })
    if (decision === 'denied') return { status: 'denied', reason: reason ?? 'The user has not confirmed this.' }
  }
  return sendEvent(place, sent, toolContext, context.signal)
}

/** The same flow when the call is run again, though by then it may have moved on. */
async function targetInTurn(
  flows: ActiveFlows,
  event: string,
  context: ToolContext,
  toolContext: FlowToolContext,
): Promise<string> {
  const noted = (context.noted as { readonly instanceId?: string } | undefined)?.instanceId
  if (noted !== undefined) return noted
  const instanceId = targetOf(flows, event, toolContext)
  await context.note?.({ instanceId })
  return instanceId
}

/** The flow that is meant when the call names none: the one that changed last and takes the event. */
function targetOf(flows: ActiveFlows, event: string | undefined, { rules }: FlowToolContext): string {
  const found = Object.entries(flows)
    .toSorted(([, a], [, b]) => b.updatedAt - a.updatedAt)
    .find(([, instance]) => {
      const flow = rules.knownDefinitionOf(instance)
      if (flow === undefined) return event === undefined
      return event === undefined || offeredEvents(flow, instance).some(({ name }) => name === event)
    })
  if (found !== undefined) return found[0]
  const message = event === undefined ? 'No flow is open.' : `No open flow takes the event “${event}” now.`
  throw new FlowError('INSTANCE_NOT_FOUND', message)
}

async function dismissFlow(input: z.infer<typeof dismissInput>, context: ToolContext, toolContext: FlowToolContext) {
  const by = ownerOf(context.session)
  const { sessionId: session } = context.session
  const instanceId =
    input.instanceId ?? targetOf((await toolContext.gateway.look(session, by)).flows, undefined, toolContext)
  return sendDismissal({ session, instanceId, by }, derivedId('evt', context.key, toolContext), toolContext)
}
