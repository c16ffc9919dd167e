// What registries hold, and the rules of part types, transports and state machines.
export type { Choice, ChoiceAction, ChoiceField, PartForm } from '../registries/choices.ts'
export { clarifyOptions, clarifyText } from '../registries/clarify-options.ts'
export type { AuthTypeEntry, AuthTypeRegistration } from '../registries/auth-types.ts'
export { deliveryDecisions, isDeliveryDecision } from '../registries/delivery-rules.ts'
export {
  addCanonicalPartTypes,
  type PartContext,
  type PatchOperation,
  type PartTypeAmendment,
  type PartTypeEntry,
  type PartTypeFunctions,
  type PartTypeMetaDeclaration,
  type ShownState,
} from '../registries/part-types.ts'
export { Registry, type RegistryEntry, type RegistryOptions } from '../registries/registry.ts'
export type { TransportEntry, TransportRegistration } from '../registries/transports.ts'
export type { TurnOutcome, TurnStateEntry, TurnStateMeaning } from '../registries/turn-states.ts'
export {
  initialCoordinates,
  type ComponentDefinition,
  type CoordinateDefinition,
} from '../state-machines/definition.ts'
export { parseStateMachine } from '../state-machines/parse-definition.ts'
export {
  applyTransitions,
  type StateTransition,
  type TransitionOutcome,
  type TransitionRejection,
  type TransitionSource,
} from '../state-machines/transition.ts'
