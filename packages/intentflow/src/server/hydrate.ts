import type { Principal, Runtime } from '@cool-ai/beach-core'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import type { Hydrated } from '../definition/hydrator.ts'
import type { RegisteredFlow } from '../registry/flow-registry.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { inTime } from './in-time.ts'
import type { RenderPayload } from '../schemas/server-payloads.ts'
import type { FlowGateway } from './flow-gateway.ts'
import type { FlowRules } from './flow-rules.ts'
import type { EffectRun } from '@cool-ai/beach-core/ports'
import type { Hydration } from './flows-state.ts'
import type { InstanceChanges } from './instance-changes.ts'
import { openFlow } from './open-flow.ts'
import { answer, attempt, causeOf, isOpen, stateOf, write, type FlowRunContext } from './work-run.ts'
import type { Values } from '../schemas/json-problem.ts'

interface HydrationCall {
  readonly session: string
  readonly entities: Values
  readonly by: Principal
  readonly flows: ActiveFlows
  readonly parentInstanceId?: string | undefined
  readonly signal: AbortSignal
}

const hydrateWithinMs = 30_000

/** Finds out the props of a flow; without a hydrator what was said is what it is shown with. */
async function hydrate(
  { hydrator, flow }: RegisteredFlow,
  { session, entities, by, flows, parentInstanceId, signal }: HydrationCall,
  runtime: Runtime,
): Promise<Hydrated<unknown>> {
  if (hydrator === undefined) return { props: entities }
  // The flow that changed last is the one that the user was in.
  const [focusedInstanceId] = Object.keys(flows).toSorted((a, b) => changedAt(flows, b) - changedAt(flows, a))
  const context = { activeFlows: flows, focusedInstanceId, parentInstanceId, now: runtime.clock.now() }
  try {
    return await inTime(runtime.clock, hydrateWithinMs, signal, (within) =>
      raceAbort(hydrator.hydrate({ entities, session, principal: by, context, signal: within }), within),
    )
  } catch (error) {
    if (signal.aborted || isFlowError(error)) throw error
    runtime.logger.log('warn', 'a flow could not be hydrated', { session, intentId: flow.intentId, error })
    throw new FlowError('HYDRATION_FAILED', undefined, { cause: error })
  }
}

function changedAt(flows: ActiveFlows, instanceId: string): number {
  return flows[instanceId]?.updatedAt ?? 0
}

export interface InvokeContext {
  readonly gateway: FlowGateway
  readonly rules: FlowRules
  readonly runtime: Runtime
}

export interface Invocation {
  readonly intentId: string
  readonly entities?: Values | undefined
  /** Given where the same invocation may come twice. */
  readonly instanceId?: string | undefined
  /** True when a turn is going to say the render. */
  readonly isPrepared?: boolean
}

/** Opens a flow for a user: finds out its props here, then shows it. Without a render it was open before. */
export async function invokeFlow(
  session: string,
  { intentId, entities, instanceId, isPrepared = false }: Invocation,
  by: Principal,
  { gateway, rules, runtime }: InvokeContext,
  signal: AbortSignal,
): Promise<RenderPayload | undefined> {
  const { flows, clients } = await gateway.look(session, by)
  const found = rules.registered(intentId, clients[intentId])
  rules.permit(found.flow, by)
  const known = rules.entitiesOf(found, entities)
  const hydrated = await hydrate(found, { session, entities: known, by, flows, signal }, runtime)
  const opening = { intentId, version: found.flow.version, hydrated, by, instanceId }
  const reply = await gateway.own(session, { kind: 'open', opening, isPrepared }, by)
  return (reply.answer as { render?: RenderPayload }).render
}

/** Finds out the props of a flow that was asked for, and shows it. Done again after a crash. */
export async function runHydration(work: Hydration, runContext: FlowRunContext, run: EffectRun): Promise<void> {
  const { intentId, version, entities, by, eventId, parentInstanceId } = work
  const state = await stateOf(runContext, run)
  if (!isOpen(state, work)) return
  const outcome = await attempt(run, async () => {
    const found = runContext.rules.registered(intentId, version)
    const call = { session: run.session, entities, by, flows: state.flows, parentInstanceId, signal: run.signal }
    return hydrate(found, call, runContext.runtime)
  })
  await write(runContext, run, (moves, current) => {
    if (!isOpen(current, work)) return
    moves.writing.carry({ done: work.workId })
    const error = 'error' in outcome ? outcome.error : openHydrated(moves, work, outcome.value)
    if (error !== undefined) hydrationFailed(moves, work, error)
    answer(moves, eventId)
  })
}

function openHydrated(moves: InstanceChanges, work: Hydration, hydrated: Parameters<typeof openFlow>[1]['hydrated']) {
  const { intentId, version, by, eventId, parentInstanceId } = work
  const { now, id } = moves.writing.context
  const instanceId = id('flow')
  const opening = { intentId, version, by, hydrated, instanceId, parentInstanceId, inReplyTo: eventId }
  // Nested ones are the server's own idea: no client asks for them twice.
  const book = parentInstanceId === undefined ? { result: { eventId, at: now, opened: instanceId, seq: 0 } } : {}
  return moves.attempt((trial) => openFlow(trial, opening, { book }))
}

function hydrationFailed(moves: InstanceChanges, work: Hydration, error: FlowError): void {
  const { eventId, parentInstanceId, intentId } = work
  const { code, message } = error
  const cause = causeOf(work)
  if (parentInstanceId === undefined) {
    moves.fail(error, cause, { result: { eventId, at: moves.writing.context.now, code, message } })
    return
  }
  moves.fail(error.about({ instanceId: parentInstanceId }), cause)
  moves.offer(parentInstanceId, { event: 'child.dismissed', payload: { intentId, reason: 'error' } }, cause)
}
