import type { Part, Step, TurnState } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import { partId } from '@cool-ai/beach-core/runtime'
import { requestDrafts } from './approvals.ts'

/** Where in a turn something is written. */
export interface StepPlace {
  readonly turnId: string
  readonly step: number
}

/** A step with what became of it: its parts as they are kept, and what else happened because of it. */
export interface WrittenStep extends Omit<Step, 'parts'> {
  readonly parts: readonly Part[]
  /** For surfaces of approval requests among the parts: the approvals that they may decide. */
  readonly approvals?: ReadonlyMap<Part, string>
  readonly changes?: readonly EventDraft[]
  /** Set when the actor lets go of a turn that goes on: how many results it has seen. */
  readonly released?: number
}

/** The events of a complete step. */
export function stepDrafts({ turnId, step }: StepPlace, written: WrittenStep): EventDraft[] {
  const { turnState, passTo, hash, answer, notes = [], parts, approvals, changes = [], released } = written
  const partIds = parts.map((_, index) => partId(turnId, step, index))
  const payload = answer === undefined ? undefined : { payload: { answer } }
  return [
    { type: 'stepCommitted', turnId, step, hash, partIds, ...payload },
    ...notes.map(({ kind, value }): EventDraft => ({ type: 'actorNoted', turnId, kind, payload: { value } })),
    ...changes,
    ...parts.map((part, index) => partDraft({ turnId, step }, index, part, turnState, approvals?.get(part))),
    ...requestDrafts(turnId, parts),
    {
      type: 'turnStateChanged',
      turnId,
      step,
      turnState,
      ...(passTo !== undefined && { passTo }),
      ...(released !== undefined && { released }),
    },
  ]
}

export function settledDraft(turnId: string, turnState: TurnState, finalizedBy: string = turnState): EventDraft {
  return { type: 'turnSettled', turnId, turnState, finalizedBy }
}

/** A turn that is cancelled keeps what was shown of it. */
export function cancelledDrafts(
  { turnId, step }: StepPlace,
  truncated: readonly { index: number; part: Part }[],
): EventDraft[] {
  const parts = truncated.map(({ index, part }) => partDraft({ turnId, step }, index, part, 'awaiting'))
  return [...parts, settledDraft(turnId, 'awaiting', 'cancelled')]
}

/** A turn that failed says so. */
export function failedDrafts({ turnId, step }: StepPlace, error: Part): EventDraft[] {
  return [
    partDraft({ turnId, step }, 0, error, 'error'),
    { type: 'turnStateChanged', turnId, step, turnState: 'error' },
    settledDraft(turnId, 'error'),
  ]
}

function partDraft(
  { turnId, step }: StepPlace,
  index: number,
  part: Part,
  turnState: TurnState,
  approvalId?: string,
): EventDraft {
  const { partType } = part.metadata
  const place = { turnId, partId: partId(turnId, step, index), partType, turnState }
  return { type: 'partReceived', ...place, ...(approvalId !== undefined && { approvalId }), payload: { part } }
}
