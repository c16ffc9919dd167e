import type { EffectRun } from '@cool-ai/beach-core/ports'
import type { FlowError } from '../schemas/index.ts'
import type { Hydration } from './flows-state.ts'
import { hydrate } from './hydrate.ts'
import type { InstanceChanges } from './instance-changes.ts'
import { openFlow } from './open-flow.ts'
import { answer, attempt, causeOf, isOpen, stateOf, write, type FlowRunContext } from './work-run.ts'

/** Finds out the props of a flow that was asked for, and shows it. Done again after a crash. */
export async function runHydration(work: Hydration, world: FlowRunContext, run: EffectRun): Promise<void> {
  const { intentId, version, entities, by, eventId, parentInstanceId } = work
  const state = await stateOf(world, run)
  if (!isOpen(state, work)) return
  const outcome = await attempt(run, async () => {
    const found = world.rules.registered(intentId, version)
    const call = { session: run.session, entities, by, flows: state.flows, signal: run.signal }
    return hydrate(found, { ...call, ...(parentInstanceId !== undefined && { parentInstanceId }) }, world.runtime)
  })
  await write(world, run, (moves, current) => {
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
  const opening = { intentId, version, by, hydrated, instanceId, inReplyTo: eventId }
  // Nested ones are the server's own idea: no client asks for them twice.
  const book = parentInstanceId === undefined ? { result: { eventId, at: now, opened: instanceId, seq: 0 } } : {}
  const nested = parentInstanceId === undefined ? {} : { parentInstanceId }
  return moves.attempt((trial) => openFlow(trial, { ...opening, ...nested }, { book }))
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
