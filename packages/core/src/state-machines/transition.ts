import { findCoordinate, own, type Coordinates, type StateMachineDefinition } from './definition.ts'

/** Who proposes a transition: an actor or another agent, by a setState part, or the application itself. */
export type TransitionSource = 'handler' | 'peer' | 'application'

/** A coordinate that has moved. */
export interface StateTransition {
  readonly coordinate: string
  readonly from: string
  readonly to: string
}

/** A coordinate that may not move, and why. */
export interface TransitionRejection {
  readonly coordinate: string
  readonly reason: string
}

/** What came of a patch: every coordinate has moved, or none has. */
export type TransitionOutcome =
  | {
      readonly accepted: true
      readonly coordinates: Coordinates
      /** Those that really moved: setting a coordinate to where it stands is accepted and moves nothing. */
      readonly transitions: readonly StateTransition[]
    }
  | { readonly accepted: false; readonly reason: string; readonly rejections: readonly TransitionRejection[] }

/** Applies a patch of coordinates to where they stand, as a whole; nothing given is changed. */
export function applyTransitions(
  definition: StateMachineDefinition,
  current: Coordinates,
  patch: unknown,
  source: TransitionSource,
): TransitionOutcome {
  if (!isPatch(patch)) return rejected([{ coordinate: '', reason: 'The patch is not an object of strings.' }])
  const transitions: StateTransition[] = []
  const rejections: TransitionRejection[] = []
  for (const [coordinate, to] of Object.entries(patch)) {
    const step = transition(definition, current, coordinate, to, source)
    if (typeof step === 'string') rejections.push({ coordinate, reason: step })
    else if (step.from !== step.to) transitions.push(step)
  }
  if (rejections.length > 0) return rejected(rejections)
  const moved = transitions.map(({ coordinate, to }) => [coordinate, to] as const)
  return { accepted: true, coordinates: { ...current, ...Object.fromEntries(moved) }, transitions }
}

function transition(
  definition: StateMachineDefinition,
  current: Coordinates,
  name: string,
  to: string,
  source: TransitionSource,
): StateTransition | string {
  const found = findCoordinate(definition, name)
  if (found === undefined) return `There is no coordinate '${name}'.`
  if (source !== 'application' && found.component.allowHandlerTransitions !== true) {
    return `The component of '${name}' does not allow transitions by ${source}s (allowHandlerTransitions).`
  }
  const { initial, transitions } = found.coordinate
  const from = own(current, name) ?? initial
  if (own(transitions, to) === undefined) return `'${name}' has no state '${to}'.`
  if (from === to) return { coordinate: name, from, to }
  const targets = own(transitions, from)
  if (targets === undefined) return `'${name}' stands at '${from}', which its state machine does not know.`
  if (targets.includes(to)) return { coordinate: name, from, to }
  const allowed = targets.length === 0 ? 'nowhere' : targets.map((target) => `'${target}'`).join(', ')
  return `'${name}' stands at '${from}' and may go to ${allowed}, not to '${to}'.`
}

function rejected(rejections: readonly TransitionRejection[]): TransitionOutcome {
  return { accepted: false, reason: rejections.map(({ reason }) => reason).join(' '), rejections }
}

function isPatch(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((to) => typeof to === 'string')
}
