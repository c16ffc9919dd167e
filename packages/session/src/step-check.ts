import { BeachError, type Part, type Step, type TurnState } from '@cool-ai/beach-core'
import type { TurnStateEntry } from '@cool-ai/beach-core/registries'
import { jsonCopy } from '@cool-ai/beach-core/runtime'
import { parsePart } from '@cool-ai/beach-protocol'
import type { TurnWorld } from './turn-run.ts'

/** A step that may be committed. */
export interface CheckedStep {
  readonly state: TurnStateEntry
  readonly parts: readonly Part[]
}

/** Checks a step against the registries and the rules of turn states; throws with a sentence that an actor can act on. */
export function checkStep(step: Step, world: TurnWorld): CheckedStep {
  const state = world.turnStates.get(step.turnState)
  if (state === undefined) {
    const known = world.turnStates.ids().join(', ')
    throw new BeachError('INVALID_STATE', `The turn state '${step.turnState}' is not registered. Use one of: ${known}.`)
  }
  checkHandoff(step, Object.keys(world.actors))
  // A copy: the actor may go on with what it has said, and change it.
  const parts = step.parts.map((part) => jsonCopy(parsePart(part, world.partTypes)))
  for (const part of parts) checkSize(part, world.mostPartBytes)
  checkApprovals(step.turnState, parts)
  return { state, parts }
}

/** Refuses a part that is too large for the log. */
export function checkSize(part: Part, most: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(part))
  if (bytes <= most) return
  const { partType } = part.metadata
  throw new BeachError(
    'INVALID_PART',
    `A part of type '${partType}' has ${bytes} bytes; ${most} are allowed. Say less, or make it an artifact.`,
  )
}

function checkHandoff({ turnState, passTo }: Step, actors: readonly string[]): void {
  if (turnState !== 'passed') {
    if (passTo === undefined) return
    throw new BeachError('INVALID_STATE', "passTo goes with the turn state 'passed' only.")
  }
  if (passTo === undefined)
    throw new BeachError('INVALID_STATE', "The turn state 'passed' needs passTo, an actor's name.")
  if (!actors.includes(passTo)) {
    throw new BeachError('UNKNOWN_ACTOR', `There is no actor '${passTo}'. Pass to one of: ${actors.join(', ')}.`)
  }
}

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
