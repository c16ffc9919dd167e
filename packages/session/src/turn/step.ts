import { BeachError, type Part, type Step, type TurnState } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type EventDraft, type SessionState } from '@cool-ai/beach-core/log'
import type { PartContext, TurnStateEntry } from '@cool-ai/beach-core/registries'
import { jsonCopy, partId, defined } from '@cool-ai/beach-core/runtime'
import { contextAmong, parseSaidPart } from '@cool-ai/beach-protocol/parts'
import { requestDrafts } from '../approvals/approvals.ts'
import type { TurnRunContext } from './turn-run.ts'
import type { MailboxEntry } from './turn-slice.ts'

/** A step that may be committed. */
export interface CheckedStep {
  readonly state: TurnStateEntry
  readonly parts: readonly Part[]
}

/**
 * Checks a step against the registries and the rules of turn states; throws with a sentence that an actor can act on.
 */
export function checkStep(step: Step, context: TurnRunContext, around?: PartContext): CheckedStep {
  const state = context.turnStates.get(step.turnState)
  if (state === undefined) {
    const known = context.turnStates.ids().join(', ')
    throw new BeachError('INVALID_STATE', `The turn state '${step.turnState}' is not registered. Use one of: ${known}.`)
  }
  if (step.turnState === 'passed' || step.passTo !== undefined) checkHandoff(step, Object.keys(context.actors))
  const hasData = step.parts.some(({ data }) => data !== undefined)
  const among = around && hasData ? contextAmong(step.parts, around) : undefined
  // A copy: the actor may go on to use, and change, its own object.
  const parts = step.parts.map((part) => jsonCopy(parseSaidPart(part, context.partTypes, among)))
  for (const part of parts) checkSize(part, context.maxPartBytes)
  if (step.turnState === 'suspended' || parts.some(({ metadata }) => approvalTypes.has(metadata.partType))) {
    checkApprovals(step.turnState, parts)
  }
  return { state, parts }
}

/** Refuses a part that is too large for the log. */
export function checkSize(part: Part, max: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(part))
  if (bytes <= max) return
  const { partType } = part.metadata
  throw new BeachError(
    'INVALID_PART',
    `A part of type '${partType}' has ${bytes} bytes; ${max} are allowed. Say less, or make it an artifact.`,
  )
}

function checkHandoff({ turnState, passTo }: Step, actors: readonly string[]): void {
  if (turnState !== 'passed') throw new BeachError('INVALID_STATE', "passTo goes with the turn state 'passed' only.")
  if (passTo === undefined) {
    throw new BeachError('INVALID_STATE', "The turn state 'passed' needs passTo, an actor's name.")
  }
  if (!actors.includes(passTo)) {
    throw new BeachError('UNKNOWN_ACTOR', `There is no actor '${passTo}'. Pass to one of: ${actors.join(', ')}.`)
  }
}

const approvalTypes: ReadonlySet<string> = new Set(['approval-request', 'approval-response'])

function checkApprovals(turnState: TurnState, parts: readonly Part[]): void {
  const types = new Set(parts.map((part) => part.metadata.partType))
  if (types.has('approval-response')) {
    throw new BeachError('INVALID_PART', 'An approval-response only comes from outside: no actor approves itself.')
  }
  const asks = types.has('approval-request')
  if (asks && turnState !== 'suspended') {
    throw new BeachError('INVALID_STATE', "An approval-request suspends the turn: use the turn state 'suspended'.")
  }
  if (!asks && turnState === 'suspended') {
    throw new BeachError('INVALID_STATE', "The turn state 'suspended' needs an approval-request to wait for.")
  }
}

/** The position of an event in a turn. */
export interface StepPosition {
  readonly turnId: string
  readonly step: number
}

/** What a turn can begin with. */
type Waiting = Pick<MailboxEntry, 'messageId' | 'actor'>

/** The start of a turn for the waiting messages; none when there are none. */
export function startTurn(
  state: SessionState,
  waiting: readonly Waiting[],
  { runtime, actors, entry, store }: TurnRunContext,
): EventDraft[] {
  if (waiting.length === 0) return []
  const epoch = sliceState(sessionSlice, state).epoch + 1
  const messageIds = waiting.map(({ messageId }) => messageId)
  // A message is for the actor that begins turns; results alone are for the one that asked for them.
  const [asked, ...others] = new Set(waiting.map((one) => one.actor))
  const actor = asked !== undefined && others.length === 0 && Object.hasOwn(actors, asked) ? asked : entry
  const turnId = runtime.id('turn')
  return [defined({ type: 'turnStarted', turnId, actor, messageIds, epoch, process: store.process })]
}

/** A step with its outcome: its parts as they are stored, and what else follows from it. */
export interface WrittenStep extends Omit<Step, 'parts'> {
  readonly parts: readonly Part[]
  /** For surfaces of approval requests among the parts: the approvals that they may decide. */
  readonly approvals?: ReadonlyMap<Part, string>
  readonly changes?: readonly EventDraft[]
  /** Set when the actor releases a turn that goes on: how many results it has seen. */
  readonly released?: number | undefined
  /** The origins that the turn has seen since its last step. */
  readonly origins?: readonly string[] | undefined
}

/** The events of a complete step. */
export function stepDrafts({ turnId, step }: StepPosition, written: WrittenStep): EventDraft[] {
  const { turnState, passTo, hash, answer, notes = [], parts, approvals, changes = [], released, origins } = written
  const partIds = parts.map((_, index) => partId(turnId, step, index))
  const payload = answer === undefined ? undefined : { payload: { answer } }
  return [
    { type: 'stepCommitted', turnId, step, hash, partIds, ...(origins && { origins }), ...payload },
    ...notes.map(({ kind, value }): EventDraft => ({ type: 'actorNoted', turnId, kind, payload: { value } })),
    ...changes,
    ...parts.map((part, index) => partDraft({ turnId, step }, index, part, turnState, approvals?.get(part))),
    // Only a step that suspends its turn asks for approvals.
    ...(turnState === 'suspended' ? requestDrafts(turnId, parts) : []),
    defined({ type: 'turnStateChanged', turnId, step, turnState, passTo, released }),
  ]
}

/** A turn that is cancelled keeps what was shown of it. */
export function cancelledDrafts(
  { turnId, step }: StepPosition,
  truncated: readonly { index: number; part: Part }[],
): EventDraft[] {
  const parts = truncated.map(({ index, part }) => partDraft({ turnId, step }, index, part, 'awaiting'))
  return [...parts, { type: 'turnSettled', turnId, turnState: 'awaiting', finalizedBy: 'cancelled' }]
}

/** A failed turn says so. */
export function failedDrafts({ turnId, step }: StepPosition, error: Part): EventDraft[] {
  return [
    partDraft({ turnId, step }, 0, error, 'error'),
    { type: 'turnStateChanged', turnId, step, turnState: 'error' },
    { type: 'turnSettled', turnId, turnState: 'error', finalizedBy: 'error' },
  ]
}

function partDraft(
  { turnId, step }: StepPosition,
  index: number,
  part: Part,
  turnState: TurnState,
  approvalId?: string,
): EventDraft {
  const { partType } = part.metadata
  const place = { turnId, partId: partId(turnId, step, index), partType, turnState }
  return defined({ type: 'partReceived', ...place, approvalId, payload: { part } })
}

/** An actor that runs again did something else than what the log says it did. */
export function replayMismatch(logged: string, now: string): BeachError {
  return new BeachError(
    'REPLAY_MISMATCH',
    `The log says that this actor did ${logged} here, but it now does ${now}. An actor must do the same again when a turn resumes.`,
  )
}
