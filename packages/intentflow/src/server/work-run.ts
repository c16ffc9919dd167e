import type { Runtime, Slice } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import type { EffectRun } from '@cool-ai/beach-core/ports'
import { toFlowError, type FlowError } from '../schemas/flow-error.ts'
import type { FlowRules } from './flow-rules.ts'
import type { FlowsState, Work } from './flows-state.ts'
import { type Cause, EventBatch } from './event-batch.ts'
import { InstanceChanges } from './instance-changes.ts'

export interface FlowRunContext {
  readonly runtime: Runtime
  readonly rules: FlowRules
  readonly slice: () => Slice<FlowsState>
}

/** Writes what follows from the state as it is then; nothing where the decision leaves it empty. */
export async function write(
  runContext: FlowRunContext,
  run: EffectRun,
  decide: (moves: InstanceChanges, state: FlowsState) => void,
): Promise<void> {
  const { clock } = runContext.runtime
  const id = (prefix: string) => runContext.runtime.id(prefix)
  await run.commit((session: SessionState) => {
    const state = sliceState(runContext.slice(), session)
    const writing = new EventBatch(state, { session: run.session, now: clock.now(), id, by: state.owner })
    decide(new InstanceChanges(writing, runContext.rules), state)
    return writing.drafts()
  })
}

export function isOpen({ work }: FlowsState, { workId }: Work): boolean {
  return work.some((one) => one.workId === workId)
}

export function causeOf({ by, eventId, depth }: Work): Cause {
  return { by, eventId, inReplyTo: eventId, depth: depth + 1 }
}

export type Outcome<Value> = { readonly value: Value } | { readonly error: FlowError }

/** What something comes to, where it was not stopped from outside. */
export async function attempt<Value>(run: EffectRun, what: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await what() }
  } catch (error) {
    run.signal.throwIfAborted()
    return { error: toFlowError(error) }
  }
}

/** Says that what a client has sent is done, unless more is still to come of it; listeners learn it from a part. */
export function answer(moves: InstanceChanges, eventId: string, instanceId?: string): void {
  if (moves.writing.state.work.some((work) => work.eventId === eventId)) return
  if (!moves.writing.shows && instanceId !== undefined && Object.hasOwn(moves.writing.state.flows, instanceId)) {
    moves.note(instanceId, {}, { by: unknownOwner, eventId, inReplyTo: eventId, depth: 0 })
  }
  moves.writing.answer([eventId])
}

const unknownOwner = { kind: 'anonymous', id: '', tenant: '' } as const

export async function stateOf(runContext: FlowRunContext, run: EffectRun): Promise<FlowsState> {
  let state = runContext.slice().initial
  await run.commit((session) => {
    state = sliceState(runContext.slice(), session)
    return []
  })
  return state
}

/** What happens by itself happens for the owner of the session. */
export function ownCause(moves: InstanceChanges, { owner = unknownOwner }: FlowsState): Cause {
  return { by: owner, eventId: moves.writing.context.id('sev'), depth: 0 }
}
