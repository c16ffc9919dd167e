import type { Effect, EffectRun } from '@cool-ai/beach-core/ports'
import type { FlowsState, PendingAction } from './flows-state.ts'
import { runHandler } from './run-handler.ts'
import { runHydration } from './hydrate.ts'
import { ownCause, write, type FlowRunContext, stateOf } from './work-run.ts'
import type { Cause } from './event-batch.ts'
import type { InstanceChanges } from './instance-changes.ts'
import { updateProps } from './update-props.ts'

// How long a handler may go on when its host shuts down: what is cut in the middle counts as failed.
const maxGraceMs = 10_000

/** All that is to be done for the flows of a session now. */
export function flowEffects(state: FlowsState, now: number, runContext: FlowRunContext): Effect[] {
  return [
    ...workEffects(state, runContext),
    ...Object.entries(state.flows).flatMap(([instanceId, { expiresAt }]) => {
      // One that is being worked on ends when that is done.
      if (expiresAt === undefined || expiresAt > now || isBusy(state, instanceId)) return []
      return [{ key: `expire:${instanceId}`, run: (run: EffectRun) => expire(instanceId, runContext, run) }]
    }),
    ...state.actions.flatMap((action) => {
      if (action.expiresAt > now) return []
      return [{ key: `late:${action.actionId}`, run: (run: EffectRun) => giveUp(action, runContext, run) }]
    }),
    ...watchEffects(state, runContext),
  ]
}

function isBusy({ work }: FlowsState, instanceId: string): boolean {
  return work.some((one) => one.kind === 'handle' && one.instanceId === instanceId)
}

/** The next time at which something of the flows runs out. */
export function nextFlowTime({ flows, actions }: FlowsState, after: number): number | undefined {
  let next: number | undefined
  const consider = (time: number | undefined) => {
    if (time !== undefined && time > after && (next === undefined || time < next)) next = time
  }
  for (const { expiresAt } of Object.values(flows)) consider(expiresAt)
  for (const { expiresAt } of actions) consider(expiresAt)
  return next
}

/** Handlers of one instance run one after the other, in the order of their events. */
function workEffects({ work }: FlowsState, runContext: FlowRunContext): Effect[] {
  const busy = new Set<string>()
  return work.flatMap((one): Effect[] => {
    if (one.kind === 'hydrate') {
      return [{ key: `work:${one.workId}`, run: (run) => runHydration(one, runContext, run) }]
    }
    if (busy.has(one.instanceId)) return []
    busy.add(one.instanceId)
    return [{ key: `work:${one.workId}`, graceMs: maxGraceMs, run: (run) => runHandler(one, runContext, run) }]
  })
}

function watchEffects({ flows, watched }: FlowsState, runContext: FlowRunContext): Effect[] {
  return Object.entries(flows).flatMap(([instanceId, instance]): Effect[] => {
    if (watched.includes(instanceId) || runContext.rules.watchOf(instance) === undefined) return []
    return [{ key: `watch:${instanceId}`, run: (run) => runWatch(instanceId, runContext, run) }]
  })
}

async function expire(instanceId: string, runContext: FlowRunContext, run: EffectRun): Promise<void> {
  await write(runContext, run, (moves, state) => {
    const expiresAt = state.flows[instanceId]?.expiresAt
    if (expiresAt === undefined || expiresAt > moves.writing.context.now || isBusy(state, instanceId)) return
    moves.dismiss(instanceId, 'timeout', ownCause(moves, state))
  })
}

/** An action without an answer in time has failed. */
async function giveUp(
  { actionId, instanceId, event }: PendingAction,
  runContext: FlowRunContext,
  run: EffectRun,
): Promise<void> {
  await write(runContext, run, (moves, state) => {
    if (!state.actions.some((one) => one.actionId === actionId)) return
    moves.writing.carry({ answered: actionId })
    if (instanceId === undefined || event === undefined) return
    const error = { code: 'TIMEOUT', message: 'There was no answer in time.' }
    moves.offer(instanceId, { event, payload: { actionId, success: false, error } }, ownCause(moves, state))
  })
}

/** Runs the watch of an instance while the instance is open; one that ends by itself is not run again. */
async function runWatch(instanceId: string, context: FlowRunContext, run: EffectRun): Promise<void> {
  const instance = (await stateOf(context, run)).flows[instanceId]
  const watch = instance === undefined ? undefined : context.rules.watchOf(instance)
  if (instance === undefined || watch === undefined) return
  const change = (what: (moves: InstanceChanges, cause: Cause) => void) =>
    write(context, run, (moves, state) => {
      if (state.flows[instanceId] !== undefined) what(moves, ownCause(moves, state))
    })
  await watch(
    { ...instance, instanceId },
    {
      session: run.session,
      signal: run.signal,
      update: (given) => change((moves, cause) => updateProps(moves, instanceId, given, cause)),
      send: (event, payload) =>
        change((moves, cause) => {
          const checked = moves.rules.payloadOf(moves.rules.definitionOf(moves.instance(instanceId)), event, payload)
          moves.move(instanceId, { event, payload: checked }, cause)
        }),
    },
  )
  await change((moves) => moves.writing.note({ watched: instanceId }))
}
