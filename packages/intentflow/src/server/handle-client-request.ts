import { BeachError, type Part, type Principal } from '@cool-ai/beach-core'
import type { HandleOutcome } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { isVersion } from '../definition/migrations.ts'
import { errorCodes, FlowError, isFlowError } from '../schemas/flow-error.ts'
import { flowLimits } from '../schemas/json-problem.ts'
import { intentFlowSaidSchema, type IntentFlowSaid } from '../schemas/client-payloads.ts'
import type { ErrorPayload } from '../schemas/server-payloads.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import type { FlowRules } from './flow-rules.ts'
import { flowCounts, type EndedInstance, type FlowsState } from './flows-state.ts'
import type { InstanceChanges } from './instance-changes.ts'
import { eventIdOf, takeClientEvent, type ClientEventResult } from './take-client-event.ts'

/** What became of one event: as it was taken, or why it was refused. */
export type FlowResult =
  | ClientEventResult
  | {
      readonly eventId: string
      readonly status: 'rejected'
      readonly code: string
      readonly message: string
      readonly error: ErrorPayload
    }

/** The reply to a client's request about flows. */
export interface FlowAnswer {
  /** One for each event, in the order in which they came. */
  readonly results: readonly FlowResult[]
  /** All open flows, when the client's own picture of them is another. */
  readonly activeFlows?: ActiveFlows
  /** The instance that was asked for, while it is open. */
  readonly instance?: FlowInstance
  /** The instance that was asked for, when it is over. */
  readonly ended?: EndedInstance
  /** The HTTP status of an answer to events that were all refused. */
  readonly status?: number
}

// Each event is read by itself: one that is wrong does not spoil the others.
const saidSchema = intentFlowSaidSchema.extend({
  events: z.array(z.unknown()).max(flowLimits.events).exactOptional(),
  invoke: z.unknown().exactOptional(),
})

/** Takes in what a client says, all of it in one write. */
export function handleClientRequest(moves: InstanceChanges, given: unknown, by: Principal): HandleOutcome {
  const parsed = saidSchema.safeParse(given)
  if (!parsed.success) {
    throw new BeachError('BAD_REQUEST', new FlowError('INVALID_MESSAGE', parsed.error).message)
  }
  const said = parsed.data
  const before = moves.writing.state
  const gap = differs(before.flows, said) ? { before: true } : undefined
  if (said.client?.flows !== undefined) declare(moves, said.client.flows)
  const results: FlowResult[] = []
  const parts: Part[] = []
  const awaits: string[] = []
  for (const event of eventsIn(said)) {
    const result = take(moves, event, by)
    results.push(result)
    if (result.status === 'rejected') parts.push({ data: result.error, metadata: { partType: 'intentflow.error' } })
    else if (moves.writing.state.work.some(({ eventId }) => eventId === result.eventId)) awaits.push(result.eventId)
  }
  const answer: FlowAnswer = {
    results,
    ...(gap && { activeFlows: moves.writing.state.flows }),
    ...(said.look && lookedAt(moves.writing.state, said.look.instanceId)),
    ...statusOf(results),
  }
  return {
    drafts: moves.writing.drafts(),
    reply: defined({
      answer,
      awaits: awaits.length > 0 ? awaits : undefined,
      stays: said.subscribe === true ? true : undefined,
      parts: parts.length > 0 ? parts : undefined,
    }),
    wakes: wakes(before, moves.writing.state, moves.rules),
  }
}

/** True when the session's host has something to do, or to wait for, that it does not know of yet. */
export function wakes(before: FlowsState, after: FlowsState, rules: FlowRules): boolean {
  if (after.work.some((work) => !before.work.includes(work))) return true
  if (after.actions.some((action) => !before.actions.includes(action))) return true
  return Object.entries(after.flows).some(([instanceId, instance]) => {
    if (Object.hasOwn(before.flows, instanceId)) return false
    return instance.expiresAt !== undefined || rules.watchOf(instance) !== undefined
  })
}

/** What was said, one event after the other: answers to interrupts, an invocation, then the events as they came. */
function* eventsIn({ resume = [], invoke, events = [] }: z.infer<typeof saidSchema>): Generator {
  for (const { interruptId, status, payload } of resume) {
    const given = typeof payload === 'object' && payload !== null ? payload : {}
    const refused = { success: false, error: { code: 'CANCELLED', message: 'The user has cancelled this.' } }
    const value = { ...(status === 'cancelled' ? refused : given), actionId: interruptId }
    yield { type: 'CUSTOM', name: 'intentflow.action_response', value }
  }
  if (invoke !== undefined) yield { type: 'CUSTOM', name: 'intentflow.invoke', value: invoke }
  yield* events
}

function take(moves: InstanceChanges, event: unknown, by: Principal): FlowResult {
  const fork = moves.writing.fork()
  try {
    const taken = takeClientEvent(moves.on(fork), event, by)
    moves.writing.join(fork)
    return taken
  } catch (error) {
    if (!isFlowError(error)) throw error
    const eventId = eventIdOf(event)
    return rejection(moves, error.about(whereabouts(event, eventId)), eventId)
  }
}

function whereabouts(event: unknown, inReplyTo: string | undefined) {
  const instanceId = (event as { value?: { instanceId?: unknown } } | null)?.value?.instanceId
  return defined({ instanceId: idIn(instanceId), inReplyTo: idIn(inReplyTo) })
}

function idIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 0 && value.length <= flowLimits.idLength ? value : undefined
}

function rejection(moves: InstanceChanges, error: FlowError, eventId: string | undefined): FlowResult {
  const { now, id } = moves.writing.context
  const payload = { v: 1 as const, eventId: id('fev'), at: now, ...error.toPayload({ debug: moves.rules.debug }) }
  return {
    eventId: eventId ?? payload.eventId,
    status: 'rejected',
    code: error.code,
    message: error.message,
    error: payload,
  }
}

/** Where nothing was done, the answer as a whole is the first refusal. */
function statusOf(results: readonly FlowResult[]): Pick<FlowAnswer, 'status'> {
  const [first] = results
  if (first?.status !== 'rejected' || results.some(({ status }) => status !== 'rejected')) return {}
  return { status: errorCodes[first.error.code].status }
}

/** Remembers which versions the client shows, if that is news. */
function declare(moves: InstanceChanges, flows: Readonly<Record<string, string>>): void {
  const { clients } = moves.writing.state
  const wrong = Object.entries(flows).find(([, version]) => !isVersion(version))
  if (wrong !== undefined) {
    throw new BeachError(
      'BAD_REQUEST',
      `The version “${wrong[1]}” of ${wrong[0]} must be three numbers, such as 1.2.0.`,
    )
  }
  const names = Object.keys(flows)
  if (names.length > flowCounts.clients) {
    throw new BeachError('BAD_REQUEST', `A client can declare ${flowCounts.clients} flows; these are ${names.length}.`)
  }
  const isSame = names.length === Object.keys(clients).length && names.every((name) => clients[name] === flows[name])
  if (!isSame) moves.writing.note({ client: flows })
}

/** True when the client believes something else to be open than is. */
function differs(flows: ActiveFlows, { known, ack }: Pick<IntentFlowSaid, 'known' | 'ack'>): boolean {
  const seqOf = (instanceId: string) => (Object.hasOwn(flows, instanceId) ? flows[instanceId]?.seq : undefined)
  if (ack !== undefined && Object.entries(ack).some(([instanceId, seq]) => seqOf(instanceId) !== seq)) return true
  if (known === undefined) return false
  return known.length !== Object.keys(flows).length || known.some(({ instanceId, seq }) => seqOf(instanceId) !== seq)
}

function lookedAt({ flows, ended }: FlowsState, instanceId: string): Pick<FlowAnswer, 'instance' | 'ended'> {
  const instance = Object.hasOwn(flows, instanceId) ? flows[instanceId] : undefined
  if (instance !== undefined) return { instance }
  const over = ended.findLast((one) => one.instanceId === instanceId)
  return over === undefined ? {} : { ended: over }
}
