import type { Principal } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  clientEventNames,
  clientEventSchema,
  type ActionResponsePayload,
  type ClientEvent,
  type DismissRequestPayload,
  type EventPayload,
  type InvokePayload,
} from '../schemas/client-payloads.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import type { Book, FlowsState, StoredResult } from './flows-state.ts'
import type { Cause } from './event-batch.ts'
import { keptResult, type InstanceChanges } from './instance-changes.ts'
import { openFlow } from './open-flow.ts'

/** What came of a client's event. */
export interface ClientEventResult {
  readonly eventId: string
  readonly status: 'applied' | 'duplicate' | 'pending'
  readonly seq?: number | undefined
  readonly instanceId?: string | undefined
  /** Why it came to nothing after all: for the duplicate of an invocation that failed, and from `dispatch`. */
  readonly code?: string | undefined
  readonly message?: string | undefined
}

interface Sender {
  readonly by: Principal
  /** The id that the client gave it; one of ours otherwise, which no client asks for. */
  readonly eventId: string
  /** Whether the client gave it. */
  readonly isNamed: boolean
}

/** One event of a client, in the order of the checks: form, instance, permissions, source, payload, seq, machine. */
export function takeClientEvent(moves: InstanceChanges, said: unknown, by: Principal): ClientEventResult {
  const event = clientEventOf(said)
  const { eventId } = event.value
  const sender = { by, eventId: eventId ?? moves.writing.context.id('cev'), isNamed: eventId !== undefined }
  switch (event.name) {
    case 'intentflow.event':
      return takeEvent(moves, event.value, sender)
    case 'intentflow.dismiss_request':
      return takeDismissal(moves, event.value, sender)
    case 'intentflow.action_response':
      return takeResponse(moves, event.value, sender)
    case 'intentflow.invoke':
      return takeInvocation(moves, event.value, sender)
  }
}

/** The eventId of what may not be an event at all, so that its refusal can name it. */
export function eventIdOf(said: unknown): string | undefined {
  const value = (said as { value?: { eventId?: unknown } } | null)?.value
  return typeof value?.eventId === 'string' ? value.eventId : undefined
}

function clientEventOf(said: unknown): ClientEvent {
  const parsed = clientEventSchema.safeParse(said)
  if (parsed.success) return parsed.data
  const name = (said as { name?: unknown } | null)?.name
  const isKnown = clientEventNames.some((known) => known === name)
  throw new FlowError(isKnown ? 'INVALID_PAYLOAD' : 'INVALID_MESSAGE', isKnown ? parsed.error : undefined)
}

function takeEvent(moves: InstanceChanges, value: EventPayload, sender: Sender): ClientEventResult {
  const { instanceId, event } = value
  return takeOnce(moves, instanceId, sender, (instance, book) => {
    const flow = moves.rules.definitionOf(instance)
    moves.rules.permit(flow, sender.by)
    const declared = Object.hasOwn(flow.events, event) ? flow.events[event] : undefined
    if (declared?.source !== 'client') {
      const events = Object.keys(flow.events).filter((name) => flow.events[name]?.source === 'client')
      const message = `“${event}” is no event that can be sent to ${flow.meta.title}.`
      throw new FlowError('INVALID_TRANSITION', message, { details: { event, events } })
    }
    const payload = moves.rules.payloadOf(flow, event, value.payload)
    checkSeq(instance, value)
    moves.move(instanceId, { event, payload, book }, causeOf(sender))
  })
}

/** Changes an instance because of a client's event; a duplicate gets the answer that the first one got. */
function takeOnce(
  moves: InstanceChanges,
  instanceId: string,
  sender: Sender,
  change: (instance: FlowInstance, book: Book) => void,
): ClientEventResult {
  const before = repeated(moves.writing.state, sender, instanceId)
  if (before !== undefined) return before
  const instance = moves.usable(instanceId)
  change(instance, sender.isNamed ? keptResult(sender.eventId, moves.writing.context.now, instanceId) : {})
  return { eventId: sender.eventId, status: 'applied', seq: instance.seq + 1, instanceId }
}

const dismissals = { user_cancelled: 'cancelled', navigation: 'cancelled', timeout: 'timeout' } as const

function takeDismissal(moves: InstanceChanges, value: DismissRequestPayload, sender: Sender): ClientEventResult {
  const { instanceId, reason } = value
  return takeOnce(moves, instanceId, sender, (instance, book) => {
    // One whose flow is gone can always be put away, and so can one that is over and only kept for show.
    const flow = moves.rules.knownDefinitionOf(instance)
    if (flow !== undefined) moves.rules.permit(flow, sender.by)
    const isOver = flow === undefined || flow.machine.isFinal(instance.state)
    if (!instance.dismissable && !isOver) throw new FlowError('DISMISS_REJECTED')
    if (isCarriedOut(moves, instanceId)) {
      throw new FlowError('DISMISS_REJECTED', 'What was confirmed is being carried out. Wait until that is done.')
    }
    checkSeq(instance, value)
    moves.dismiss(instanceId, dismissals[reason], causeOf(sender), { book })
  })
}

/** True while the handler of an event with `confirm` runs in it, or in one that is nested in it: that could not be undone. */
function isCarriedOut({ writing, rules }: InstanceChanges, instanceId: string): boolean {
  const { flows, work } = writing.state
  return work.some((one) => {
    if (one.kind !== 'handle' || one.isStarted !== true) return false
    const instance = flows[one.instanceId]
    const flow = instance && rules.knownDefinitionOf(instance)
    return flow?.events[one.event]?.confirm === true && isWithin(flows, one.instanceId, instanceId)
  })
}

function isWithin(flows: FlowsState['flows'], instanceId: string | undefined, outer: string): boolean {
  if (instanceId === undefined || instanceId === outer) return instanceId === outer
  return isWithin(flows, flows[instanceId]?.parentInstanceId, outer)
}

/** The answer to an action; it is one by the action's id, however it comes. */
function takeResponse(moves: InstanceChanges, value: ActionResponsePayload, sender: Sender): ClientEventResult {
  const { actionId, success, result, error } = value
  const { state, context } = moves.writing
  const byAction = { ...sender, eventId: actionId, isNamed: true }
  const before = repeated(state, byAction) ?? repeated(state, sender)
  if (before !== undefined) return { ...before, eventId: sender.eventId }
  const action = state.actions.find((one) => one.actionId === actionId)
  if (action === undefined || action.expiresAt <= context.now) {
    throw new FlowError('INVALID_TRANSITION', 'This action expects no answer, or no longer does.', {
      details: { actionId },
    })
  }
  const { instanceId, event } = action
  if (instanceId !== undefined) {
    const instance = moves.usable(instanceId)
    moves.rules.permit(moves.rules.definitionOf(instance), sender.by)
    checkSeq(instance, value)
  }
  moves.writing.carry({ answered: actionId, ...keptResult(actionId, context.now) })
  if (instanceId !== undefined && event !== undefined) {
    const payload = defined({ actionId, success, result, error })
    moves.offer(instanceId, { event, payload }, causeOf(sender))
  }
  const seq = instanceId === undefined ? undefined : moves.writing.state.flows[instanceId]?.seq
  return { eventId: sender.eventId, status: 'applied', instanceId, seq }
}

/** A flow is asked for by its id; it is shown at once, or when its props have been found out. */
function takeInvocation(
  moves: InstanceChanges,
  { intentId, entities }: InvokePayload,
  sender: Sender,
): ClientEventResult {
  const { state, context } = moves.writing
  const { eventId, by } = sender
  const before = repeated(state, sender)
  if (before !== undefined) return before
  const isAsked = state.work.some((work) => work.kind === 'hydrate' && work.depth === 0 && work.eventId === eventId)
  if (sender.isNamed && isAsked) return { eventId, status: 'duplicate' }
  const found = moves.rules.registered(intentId, state.clients[intentId])
  const { flow, hydrator } = found
  moves.rules.permit(flow, by)
  const known = moves.rules.entitiesOf(found, entities)
  const place = { intentId, version: flow.version, by }
  if (hydrator !== undefined) {
    const work = { kind: 'hydrate', workId: context.id('work'), eventId, at: context.now, depth: 0 } as const
    moves.addWork({ ...work, ...place, entities: known })
    return { eventId, status: 'pending' }
  }
  const instanceId = context.id('flow')
  const opening = { ...place, hydrated: { props: known }, instanceId, inReplyTo: eventId }
  openFlow(moves, opening, { book: { result: { eventId, at: context.now, opened: instanceId, seq: 0 } } })
  return { eventId, status: 'applied', seq: 0, instanceId }
}

/** The answer that an event with the same id got before: for the same instance, since clients may count for each. */
function repeated(state: FlowsState, { eventId, isNamed }: Sender, instanceId?: string): ClientEventResult | undefined {
  if (!isNamed) return undefined
  const own = state.results.find((one) => one.instanceId === instanceId)?.kept ?? []
  const found = findResult(own, eventId, instanceId) ?? findResult(state.past, eventId, instanceId)
  if (found === undefined) return undefined
  const { seq, code, message } = found
  return { eventId, status: 'duplicate', seq, instanceId: found.instanceId ?? found.opened, code, message }
}

function checkSeq({ seq }: FlowInstance, { expectedSeq }: { readonly expectedSeq?: number }): void {
  if (expectedSeq === undefined || expectedSeq === seq) return
  throw new FlowError('STATE_CONFLICT', undefined, { details: { expectedSeq, seq }, recovery: [{ action: 'retry' }] })
}

function causeOf({ by, eventId, isNamed }: Sender): Cause {
  return { by, eventId, depth: 0, inReplyTo: isNamed ? eventId : undefined }
}

/**
 * The ids that lists of results have had, by the last result of a list. A list that goes on takes them over, so that an
 * event need not be looked for among hundreds of others that it is not.
 */
const seen = new WeakMap<StoredResult, Set<string>>()

/** The result of an event among those that are kept: of one for that instance, or for none. */
export function findResult(
  results: readonly StoredResult[],
  eventId: string,
  instanceId: string | undefined,
): StoredResult | undefined {
  if (!idsOf(results).has(eventId)) return undefined
  // It may be one that is not kept any more, or of a list that has gone on.
  return results.findLast((result) => result.eventId === eventId && result.instanceId === instanceId)
}

const nothing: ReadonlySet<string> = new Set()

function idsOf(results: readonly StoredResult[]): ReadonlySet<string> {
  const last = results.at(-1)
  if (last === undefined) return nothing
  const before = results.at(-2)
  const known = seen.get(last) ?? (before && seen.get(before))
  const ids = known === undefined || known.size > 2 * results.length + 100 ? allIds(results) : known.add(last.eventId)
  seen.set(last, ids)
  return ids
}

function allIds(results: readonly StoredResult[]): Set<string> {
  return new Set(results.map(({ eventId }) => eventId))
}
