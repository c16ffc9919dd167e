export { systemClock, sleep, type Clock } from './clock.ts'
export type { Envelope, EnvelopeMeta } from './envelope.ts'
export { BeachError, errorCatalogue, isBeachError, type ErrorCode } from './errors.ts'
export { createLogger, silentLogger, type LogFields, type Logger, type LogLevel } from './logger.ts'
export type { LogFormat } from './log-settings.ts'
export type { DeliveryClass, Originator } from './originator.ts'
export type { DeclaredTypes } from './declared-types.ts'
export type { DataRule, ResultOrigin } from './origins.ts'
export {
  isPart,
  othersPart,
  type AuthoredPart,
  type MergeStrategy,
  type Part,
  type PartData,
  type PartMetadata,
  type PartType,
  type PartTypes,
  type SaidPart,
} from './part.ts'
export type { Approver, Authenticator, Principal } from './principal.ts'
export type {
  Actor,
  Injection,
  LiveText,
  ManifestPlan,
  Step,
  ToolCall,
  ToolOutcome,
  TurnContext,
  Work,
  WorkRun,
} from './ports/actor.ts'
export type { Artifact, ArtifactStore } from './ports/artifacts.ts'
export type { ArtifactLinkOf, Channel, ChannelContext, PushPolicy, Route, SendOutcome } from './ports/channel.ts'
export type { Decision, Frame, Inbound, Message, Sessions, SessionView } from './ports/sessions.ts'
export type { Slice } from './ports/slice.ts'
export type { PlainTool, ToolAnnotations, ToolContext } from './ports/tool.ts'
export type { Store } from './ports/store.ts'
export { systemRuntime, type Runtime } from './runtime.ts'
export { beachVersion } from './version.ts'
export { SimulatedClock, simulatedRuntime } from './simulated-runtime.ts'
export { AuthTypeRegistry, authTypes } from './registries/auth-types.ts'
export type { DeliveryDecision, DeliveryRules } from './registries/delivery-rules.ts'
export {
  PartTypeRegistry,
  partTypeRegistry,
  partTypes,
  type PartTypeDeclaration,
  type PartTypeRegistration,
} from './registries/part-types.ts'
export { TransportRegistry, transports } from './registries/transports.ts'
export {
  TurnStateRegistry,
  turnStates,
  type GivenTurnState,
  type TurnState,
  type TurnStateRegistration,
  type TurnStates,
} from './registries/turn-states.ts'
export type { Coordinates, StateMachineDefinition } from './state-machines/definition.ts'
export { StateMachineRegistry, stateMachines } from './state-machines/state-machine-registry.ts'
