import type { UndeclaredName } from '../declared-types.ts'
import { defined } from '../json.ts'
import { Registry, type RegistryEntry, type RegistryOptions } from './registry.ts'

/** The turn states that an actor may declare; applications add the names of their own, with any value. */
export interface TurnStates {
  awaiting: unknown
  complete: unknown
  clarifying: unknown
  error: unknown
  suspended: unknown
  delegated: unknown
  passed: unknown
}

/** The name of a turn state: a declared one, or one with a namespace. */
export type TurnState = keyof TurnStates | UndeclaredName

/** A turn state that an actor gives: a name that stands in the source must be one; a `string` is known only at run time. */
export type GivenTurnState<Name extends string> = Name extends TurnState ? Name : string extends Name ? Name : TurnState

/** What a turn state means for its turn. */
export interface TurnStateMeaning {
  /** The turn is over for the actor that declared it. */
  readonly isTerminal: boolean
  /** An envelope is assembled from the mailbox and delivered whole. */
  readonly emitsEnvelope: boolean
  /** The actor still has the turn and goes on when something arrives. */
  readonly holdsActor: boolean
  /** What it tells a caller besides; by A2A its task is then REJECTED or AUTH_REQUIRED. */
  readonly outcome?: TurnOutcome | undefined
}

/** The agent does not take on what it was asked; or a user must authorise something before it can. */
export type TurnOutcome = 'rejected' | 'auth-required'

/** A registered turn state. */
export interface TurnStateEntry extends RegistryEntry, TurnStateMeaning {}

/** A turn state as `register` takes it; its meaning may stand under `meta`. */
export type TurnStateRegistration = { readonly id: string; readonly isCanonical?: boolean | undefined } & (
  | TurnStateMeaning
  | { readonly meta: TurnStateMeaning }
)

const meaningKeys = ['isTerminal', 'emitsEnvelope', 'holdsActor'] as const
const outcomes: readonly unknown[] = ['rejected', 'auth-required'] satisfies readonly TurnOutcome[]

/** The states that an actor may declare for its turn. */
export class TurnStateRegistry extends Registry<TurnStateRegistration, TurnStateEntry> {
  protected readonly noun = 'turn state'

  /** A registry with the seven canonical states. */
  static canonical(options?: RegistryOptions): TurnStateRegistry {
    const registry = new TurnStateRegistry(options)
    for (const [id, isTerminal, emitsEnvelope, holdsActor] of canonicalTurnStates) {
      registry.register({ id, isTerminal, emitsEnvelope, holdsActor, isCanonical: true })
    }
    return registry
  }

  override has(id: string): id is TurnState {
    return super.has(id)
  }

  protected override toEntry(registration: TurnStateRegistration): TurnStateEntry {
    const id = this.checkedId(registration.id)
    this.checkedKeys(id, registration, ['id', 'isCanonical', 'meta', 'outcome', ...meaningKeys])
    const meaning: TurnStateMeaning = 'meta' in registration ? registration.meta : registration
    for (const key of meaningKeys) {
      if (typeof meaning[key] !== 'boolean') throw this.refusal(id, `does not say whether it is ${key}: true or false.`)
    }
    const { isTerminal, emitsEnvelope, holdsActor, outcome } = meaning
    if (isTerminal && holdsActor) throw this.refusal(id, 'cannot both end the turn (isTerminal) and hold its actor.')
    if (outcome !== undefined && !outcomes.includes(outcome)) {
      throw this.refusal(id, `has an outcome that is not known. Use one of: ${outcomes.join(', ')}.`)
    }
    if (outcome === 'rejected' && !isTerminal) {
      throw this.refusal(id, 'cannot be rejected and go on: a turn that is rejected is over (isTerminal).')
    }
    return defined({
      id,
      isCanonical: registration.isCanonical ?? false,
      isTerminal,
      emitsEnvelope,
      holdsActor,
      outcome,
    })
  }
}

// `passed` ends the turn of the actor that passes; the named actor's turn is a new one with the same mailbox.
const canonicalTurnStates = [
  ['awaiting', false, false, true],
  ['complete', true, true, false],
  ['clarifying', true, false, false],
  ['error', true, false, false],
  ['suspended', false, false, true],
  ['delegated', false, false, true],
  ['passed', true, false, false],
] as const satisfies readonly (readonly [keyof TurnStates, boolean, boolean, boolean])[]

/** The default registry of turn states. */
export const turnStates: TurnStateRegistry = TurnStateRegistry.canonical()
