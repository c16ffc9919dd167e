import { hash } from 'node:crypto'
import type { EffectRun } from '@cool-ai/beach-core/ports'
import { defined, encodeId, raceAbort } from '@cool-ai/beach-core/runtime'
import type { EventHandler, HandlerResult } from '../definition/event-handlers.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import { askAction } from './ask-action.ts'
import type { Handling } from './flows-state.ts'
import { inTime } from './in-time.ts'
import type { InstanceChanges } from './instance-changes.ts'
import { openFlow } from './open-flow.ts'
import { updateProps } from './update-props.ts'
import { answer, attempt, causeOf, isOpen, stateOf, write, type FlowRunContext, type Outcome } from './work-run.ts'

/** Runs the handler of an event: in the log before it begins and when it has ended, and once unless it is idempotent. */
export async function runHandler(work: Handling, runContext: FlowRunContext, run: EffectRun): Promise<void> {
  const { instanceId, event } = work
  const state = await stateOf(runContext, run)
  const instance = state.flows[instanceId]
  if (!isOpen(state, work) || instance === undefined) return
  const found = await attempt(run, async () => ({
    handler: runContext.rules.handlerOf(instance, event),
    props: runContext.rules.propsOf(runContext.rules.definitionOf(instance), instance),
  }))
  const handler = 'error' in found ? undefined : found.value.handler
  if ('error' in found || handler === undefined) {
    const missing = new FlowError('MUTATION_FAILED', `“${event}” cannot be carried out any more.`)
    return finish(work, 'FAILURE', { error: 'error' in found ? found.error : missing }, runContext, run)
  }
  if (work.isStarted === true && !handler.idempotent)
    return finish(work, handler.failure, { error: unknown() }, runContext, run)
  if (work.isStarted !== true && !(await start(work, runContext, run))) return
  const input = {
    instanceId,
    event,
    props: found.value.props,
    context: instance.context,
    state: instance.state,
    payload: work.payload ?? {},
    idempotencyKey: keyOf(work),
    principal: work.by,
    session: run.session,
  }
  const outcome = await attempt(run, () => handle(handler, input, work, runContext, run))
  await finish(work, handler.failure, outcome, runContext, run)
}

/** Clients choose the ids of events: the key is of this instance too, so that events are not confused. */
function keyOf({ instanceId, eventId, depth, event }: Handling): string {
  const digest = hash('sha256', JSON.stringify([instanceId, eventId, depth, event]), 'buffer')
  return `key_${encodeId(digest.subarray(0, 16))}`
}

type GivenInput = Omit<Parameters<EventHandler['run']>[0], 'signal'>

async function handle(
  handler: EventHandler,
  input: GivenInput,
  { event }: Handling,
  { runtime }: FlowRunContext,
  run: EffectRun,
): Promise<HandlerResult> {
  try {
    return await inTime(runtime.clock, handler.timeoutMs, run.signal, (signal) =>
      raceAbort(handler.run({ ...input, signal }), signal),
    )
  } catch (error) {
    if (run.signal.aborted || isFlowError(error)) throw error
    runtime.logger.log('warn', 'the handler of an event failed', { session: run.session, event, error })
    throw new FlowError('MUTATION_FAILED', undefined, { cause: error })
  }
}

function unknown(): FlowError {
  return new FlowError(
    'MUTATION_FAILED',
    'This was interrupted, and it is not known whether it was carried out. Check before you try it again.',
    { details: { appCode: 'OUTCOME_UNKNOWN' } },
  )
}

/** False when another host was quicker, or it is no longer wanted. */
async function start(work: Handling, runContext: FlowRunContext, run: EffectRun): Promise<boolean> {
  let isMine = false
  await write(runContext, run, (moves, state) => {
    isMine = state.work.some((one) => one.workId === work.workId && one.kind === 'handle' && one.isStarted !== true)
    if (isMine) moves.writing.note({ started: work.workId })
  })
  return isMine
}

async function finish(
  work: Handling,
  failure: string,
  outcome: Outcome<HandlerResult>,
  runContext: FlowRunContext,
  run: EffectRun,
): Promise<void> {
  await write(runContext, run, (moves, state) => {
    if (!isOpen(state, work) || state.flows[work.instanceId] === undefined) return
    moves.writing.carry({ done: work.workId })
    const error = 'error' in outcome ? outcome.error : applied(moves, work, outcome.value)
    if (error !== undefined) handlingFailed(moves, work, failure, error)
    answer(moves, work.eventId, work.instanceId)
  })
}

/** What a handler has come to, as one change: all of it, or the error that keeps it from being made. */
function applied(moves: InstanceChanges, work: Handling, result: HandlerResult): FlowError | undefined {
  return moves.attempt((trial) => applyResult(trial, work, result))
}

function applyResult(moves: InstanceChanges, work: Handling, given: HandlerResult): void {
  const { instanceId } = work
  const { event, payload, propsUpdate, contextUpdate, child, action, result } = given
  const cause = causeOf(work)
  if (propsUpdate !== undefined) updateProps(moves, instanceId, propsUpdate, cause)
  if (action !== undefined) askAction(moves, { ...action, instanceId: action.instanceId ?? instanceId }, cause)
  if (child !== undefined) openChild(moves, work, child)
  if (event === undefined) {
    if (contextUpdate !== undefined) moves.note(instanceId, contextUpdate, cause)
    moves.settle(instanceId, cause, result)
    return
  }
  const flow = moves.rules.definitionOf(moves.instance(instanceId))
  const checked = moves.rules.payloadOf(flow, event, payload)
  moves.move(instanceId, { event, payload: checked, contextUpdate, result }, cause)
}

/** Opens a flow inside the one whose handler asks for it. */
function openChild(moves: InstanceChanges, work: Handling, child: NonNullable<HandlerResult['child']>): void {
  const { instanceId: parentInstanceId, by, eventId, depth } = work
  const { intentId, entities, props } = child
  const { now, id } = moves.writing.context
  const found = moves.rules.registered(intentId, moves.writing.state.clients[intentId])
  const place = { intentId, version: found.flow.version, by, parentInstanceId }
  if (props !== undefined) {
    openFlow(moves, { ...place, hydrated: { props }, inReplyTo: eventId })
    return
  }
  const known = moves.rules.entitiesOf(found, entities)
  moves.rules.permit(found.flow, by)
  moves.addWork({ kind: 'hydrate', workId: id('work'), eventId, at: now, depth: depth + 1, ...place, entities: known })
}

/** Tells of the failure, and sends the machine the event for it, if it takes one. */
function handlingFailed(moves: InstanceChanges, work: Handling, failure: string, error: FlowError): void {
  const { instanceId } = work
  const cause = causeOf(work)
  const recovery = error.options.recovery ?? (error.recoverable ? [{ action: 'retry' as const }] : [])
  const { code, message, details } = error
  moves.fail(new FlowError(code, message, { ...error.options, instanceId, recovery }), cause)
  const payload = defined({ code, message, details })
  if (!moves.offer(instanceId, { event: failure, payload }, cause)) moves.settle(instanceId, cause)
}
