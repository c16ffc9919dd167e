import type { ToolContext } from '@cool-ai/beach-core'
import type { ToolAction, ToolShow } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { A2uiMessage } from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'
import { nameInWords, offeredEvents } from '../definition/offered-events.ts'
import { isFlowError } from '../schemas/flow-error.ts'
import type { DismissPayload, ErrorPayload } from '../schemas/server-payloads.ts'
import { applyServerEvent } from '../state/apply-server-event.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import { endings, dataLines, flowText, viewOf } from './readable.ts'
import { eventJsonSchema } from './event-fields.ts'
import { flowSurface, type SurfaceEvent } from './flow-surface.ts'
import { handleOf, placeOf, type PeerInstance, instanceIn, type FlowToolContext } from './flow-tool-context.ts'
import type { FlowsView } from './take-own-input.ts'
import type { Values } from '../schemas/json-problem.ts'

/** The actions of surfaces that are no events of a flow. Of these, flows can use the first two in their own surfaces. */
const surfaceActions = {
  dismiss: 'intentflow.dismiss',
  look: 'intentflow.look',
  confirm: 'intentflow.confirm',
} as const

/** What the tools for callers of MCP answer, as far as it matters to viewers. */
interface PeerAnswer {
  readonly status: string
  readonly instanceId?: string
  readonly state?: string
  readonly error?: Pick<ErrorPayload, 'message'>
  readonly confirmation?: string
  readonly event?: string
  readonly payload?: Values
}

interface InstanceBefore {
  readonly seq: number
  readonly instance: FlowInstance | undefined
}

/** Runs a call, and shows people how its flow stands then, if the caller can show surfaces. */
export async function withShow(
  given: string | undefined,
  context: ToolContext,
  toolContext: FlowToolContext,
  run: () => Promise<unknown>,
): Promise<unknown> {
  if (context.show === undefined) return run()
  const before = given === undefined ? undefined : await beforeAt(placeOf(given, context), toolContext)
  const answer = await run()
  try {
    context.show(await showOf(answer as PeerAnswer, before, context, toolContext))
  } catch (error) {
    // What was done is done, and the answer says so.
    toolContext.runtime.logger.log('error', 'a flow could not be shown', { session: context.session.sessionId, error })
  }
  return answer
}

async function beforeAt(place: PeerInstance, { gateway }: FlowToolContext): Promise<InstanceBefore | undefined> {
  try {
    const { flows, seq } = await gateway.look(place.session, place.by)
    return { seq, instance: instanceIn(flows, place.instanceId) }
  } catch {
    // The call itself says what is wrong.
    return undefined
  }
}

async function showOf(
  answer: PeerAnswer,
  before: InstanceBefore | undefined,
  context: ToolContext,
  toolContext: FlowToolContext,
): Promise<ToolShow> {
  const problem = answer.error === undefined ? {} : { problem: answer.error.message }
  const isRefused = answer.status === 'failed' && answer.state === undefined
  // Nothing has changed: what the user has filled in stays where it is.
  if (answer.instanceId === undefined || isRefused) return problem
  const place = placeOf(answer.instanceId, context)
  const focusIn = (flows: ActiveFlows) => inFocus(flows, place.instanceId, before?.instance?.parentInstanceId)
  // What was opened within it, or what it was opened in, may still be at it.
  const isBusy = ({ flows, busy }: FlowsView) => busy.includes(focusIn(flows)?.id ?? '')
  const { flows } = await toolContext.gateway.whenIdle(place.session, place.by, isBusy, context.signal)
  if (answer.confirmation !== undefined) {
    const instance = instanceIn(flows, place.instanceId)
    return instance === undefined ? problem : showConfirmation(answer, place, instance, toolContext)
  }
  const open = focusIn(flows)
  if (open === undefined) return { ...(await showEnd(place, before, toolContext)), ...problem }
  return { ...showInstance({ ...place, instanceId: open.id }, open.instance, toolContext), ...problem }
}

/** What people go on with: what an instance has opened, itself, or what it was opened by. */
function inFocus(
  flows: ActiveFlows,
  instanceId: string,
  parent: string | undefined,
): { readonly id: string; readonly instance: FlowInstance } | undefined {
  const instance = instanceIn(flows, instanceId)
  if (instance === undefined) return parent === undefined ? undefined : inFocus(flows, parent, undefined)
  const [child] = Object.entries(flows).findLast(([, one]) => one.parentInstanceId === instanceId) ?? []
  return (child === undefined ? undefined : inFocus(flows, child, undefined)) ?? { id: instanceId, instance }
}

function showInstance(place: PeerInstance, instance: FlowInstance, toolContext: FlowToolContext): ToolShow {
  const { rules } = toolContext
  const { instanceId } = place
  const flow = rules.definitionOf(instance)
  const text = flowText(rules, instanceId, instance)
  const offered = offeredEvents(flow, instance).filter(({ name }) => flow.events[name]?.local !== true)
  const isFinal = flow.machine.isFinal(instance.state)
  return {
    messages: ownSurface(instanceId, instance, toolContext) ?? builtIn(),
    actions: {
      ...Object.fromEntries(offered.map(({ name }) => [name, eventCall(name, place)])),
      [surfaceActions.look]: call('flow_get', place),
      ...((instance.dismissable || isFinal) && { [surfaceActions.dismiss]: call('flow_dismiss', place) }),
    },
    note: `${flow.meta.title} (${instance.state})\n${text}`,
  }

  function builtIn(): A2uiMessage[] {
    const events = offered.map(({ name, label }): SurfaceEvent => {
      const payload = eventJsonSchema(flow.events[name]?.schema)
      const isMain = flow.events[name]?.confirm === true
      return defined({ name, label, payload, variant: isMain ? ('primary' as const) : undefined })
    })
    const changes = instance.streaming === true || (offered.length === 0 && !isFinal)
    const look: SurfaceEvent = { name: surfaceActions.look, label: 'Look again' }
    const dismiss: SurfaceEvent = { name: surfaceActions.dismiss, label: 'Dismiss', variant: 'borderless' }
    const others = [...(changes ? [look] : []), ...(instance.dismissable || isFinal ? [dismiss] : [])]
    const { context } = instance
    return flowSurface({ instanceId, title: flow.meta.title, text, context, events: [...events, ...others] })
  }
}

/** The surface that the flow makes itself. One that fails does not keep people from going on. */
function ownSurface(
  instanceId: string,
  instance: FlowInstance,
  { rules, runtime }: FlowToolContext,
): readonly A2uiMessage[] | undefined {
  const flow = rules.definitionOf(instance)
  try {
    return flow.surface?.(viewOf(rules, flow, instanceId, instance))
  } catch (error) {
    const { intentId, state } = instance
    runtime.logger.log('error', 'the surface of a flow failed', { intentId, state, error })
    return undefined
  }
}

function eventCall(event: string, place: PeerInstance): ToolAction {
  return { tool: 'flow_event', arguments: { instanceId: handleOf(place), event }, contextAs: 'form' }
}

function call(tool: string, place: PeerInstance, more: Values = {}): ToolAction {
  return { tool, arguments: { instanceId: handleOf(place), ...more } }
}

/** What the user is about to confirm, as it is going to happen: with nothing in it that cannot be seen. */
function showConfirmation(
  { confirmation, event = '', payload = {} }: PeerAnswer,
  place: PeerInstance,
  instance: FlowInstance,
  { rules }: FlowToolContext,
): ToolShow {
  const { instanceId } = place
  const flow = rules.definitionOf(instance)
  const label = offeredEvents(flow, instance).find(({ name }) => name === event)?.label ?? nameInWords(event)
  // As it is going to be: what the event brings along counts already.
  const then = { ...instance, ...rules.next(flow, instance, { type: event, payload }) }
  const lines = [...flowText(rules, instanceId, then).split('\n'), ...dataLines(payload)]
  const title = `${label}?`
  const yes: SurfaceEvent = { name: surfaceActions.confirm, label, variant: 'primary' }
  const back: SurfaceEvent = { name: surfaceActions.look, label: 'Back' }
  const text = lines.map((line) => visibleText(line)).join('\n')
  return {
    messages: flowSurface({ instanceId, title, text, events: [yes, back] }),
    actions: {
      [surfaceActions.confirm]: call('flow_confirm', place, { confirmation }),
      [surfaceActions.look]: call('flow_get', place),
    },
  }
}

/** A flow that is over: how it stood last, and what it has come to. */
async function showEnd(
  place: PeerInstance,
  before: InstanceBefore | undefined,
  toolContext: FlowToolContext,
): Promise<ToolShow> {
  const { session, instanceId, by } = place
  const { ended } = await toolContext.gateway.look(session, by)
  const over = ended.findLast((one) => one.instanceId === instanceId)
  if (over === undefined) return { problem: 'This is not open any more.' }
  const { last, result = {} } = before === undefined ? {} : await lastOf(place, before, toolContext)
  const lines = [
    ...(last === undefined ? [] : [textOf(instanceId, last, toolContext)]),
    ...(over.reason === 'completed' ? dataLines(result) : []),
    endings[over.reason],
  ]
  const title = toolContext.registry.get(over.intentId, over.version)?.flow.meta.title ?? 'This is over'
  const text = lines.filter((line) => line !== '').join('\n')
  return { messages: flowSurface({ instanceId, title, text, events: [] }), note: `${title} (${over.state})\n${text}` }
}

function textOf(instanceId: string, instance: FlowInstance, { rules }: FlowToolContext): string {
  try {
    return flowText(rules, instanceId, instance)
  } catch (error) {
    if (isFlowError(error)) return ''
    throw error
  }
}

/** The instance as it was when it ended, and its result: from how it stood before, by what has been shown since. */
async function lastOf(
  { session, instanceId, by }: PeerInstance,
  { seq, instance }: InstanceBefore,
  { gateway }: FlowToolContext,
): Promise<{ readonly last?: FlowInstance | undefined; readonly result?: DismissPayload['result'] | undefined }> {
  if (instance === undefined) return {}
  let flows: ActiveFlows = { [instanceId]: instance }
  let result: DismissPayload['result']
  for (const event of await gateway.since(session, seq, by)) {
    if (event.name !== 'intentflow.dismiss') flows = applyServerEvent(flows, event)
    else if (event.value.instanceId === instanceId) result = event.value.result
  }
  return { last: instanceIn(flows, instanceId), result }
}
