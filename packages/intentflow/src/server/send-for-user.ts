import { defined } from '@cool-ai/beach-core/runtime'
import type { ErrorPayload, ServerEvent } from '../schemas/server-payloads.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import type { Confirmation } from './flows-state.ts'
import { instanceIn, summaryOf, type FlowToolContext, type PeerInstance } from './flow-tool-context.ts'
import type { Values } from '../schemas/json-problem.ts'

export interface SentEvent {
  readonly event: string
  readonly eventId: string
  readonly payload?: Values | undefined
}

/** The instance that another caller acts on for the user. */
type InstancePlace = Pick<PeerInstance, 'session' | 'instanceId' | 'by'>

/** True for an event that only the user may decide on. */
export function needsConfirmation(
  instance: FlowInstance | undefined,
  event: string,
  { rules }: FlowToolContext,
): boolean {
  if (instance === undefined) return false
  const { events } = rules.definitionOf(instance)
  return Object.hasOwn(events, event) && events[event]?.confirm === true
}

export async function proposeEvent(place: InstancePlace, sent: SentEvent, { gateway }: FlowToolContext) {
  const { session, instanceId, by } = place
  const { answer } = await gateway.own(session, { kind: 'propose', instanceId, ...sent }, by)
  const { confirmationId, expiresAt, event, payload } = answer as Confirmation
  return defined({
    status: 'confirmation_required',
    confirmation: confirmationId,
    expiresAt: new Date(expiresAt).toISOString(),
    event,
    payload,
    message: 'Tell the user what is going to happen, and only after they have agreed call flow_confirm with this.',
  })
}

/** Sends an event for the user, and waits for what comes of it. */
export async function sendEvent(
  place: InstancePlace,
  { event, eventId, payload }: SentEvent,
  context: FlowToolContext,
  signal: AbortSignal,
): Promise<unknown> {
  const { session, instanceId, by } = place
  const value = defined({ v: 1, eventId, instanceId, event, payload })
  const said = { events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] }
  const reply = await context.gateway.say(session, said, by)
  const [result] = reply.answer.results
  if (result?.status === 'rejected') return { status: 'failed', error: result.error }
  const shown = await context.gateway.outcome(session, reply, by, signal)
  return instanceResult(place, shown, context)
}

/** How an instance stands after something was done, with the errors that came of it. */
export async function instanceResult(
  { session, instanceId, by }: InstancePlace,
  shown: readonly ServerEvent[],
  context: FlowToolContext,
): Promise<unknown> {
  const errors = shown.flatMap((one): ErrorPayload[] => (one.name === 'intentflow.error' ? [one.value] : []))
  const { flows, ended } = await context.gateway.look(session, by)
  const instance = instanceIn(flows, instanceId)
  const problem = errors.length === 0 ? {} : { error: errors.at(-1) }
  const status = errors.length === 0 ? 'done' : 'failed'
  if (instance !== undefined) return { status, ...problem, ...summaryOf(instanceId, instance, context) }
  const over = ended.findLast((one) => one.instanceId === instanceId)
  const end = over && { state: over.state, reason: over.reason }
  return { status, ...problem, instanceId, isFinal: true, ...end, ...resultOf(instanceId, shown) }
}

/** What an instance has come to, where that was shown. */
function resultOf(instanceId: string, shown: readonly ServerEvent[]) {
  const dismissals = shown.flatMap((one) => (one.name === 'intentflow.dismiss' ? [one.value] : []))
  const result = dismissals.findLast((one) => one.instanceId === instanceId)?.result
  return result === undefined ? {} : { result }
}

export async function sendDismissal(place: InstancePlace, eventId: string, context: FlowToolContext): Promise<unknown> {
  const { session, instanceId, by } = place
  const value = { v: 1, eventId, instanceId, reason: 'user_cancelled' }
  const said = { events: [{ type: 'CUSTOM', name: 'intentflow.dismiss_request', value }] }
  const [result] = (await context.gateway.say(session, said, by)).answer.results
  return result?.status === 'rejected' ? { status: 'failed', error: result.error } : { status: 'dismissed', instanceId }
}
