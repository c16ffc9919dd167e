export { elapsed, endOf, isOver, systemClock, sleep, type Clock, type Wait } from './clock.ts'
export { letOthers } from './let-others.ts'
export type { Envelope, EnvelopeMeta } from './envelope.ts'
export {
  BeachError,
  errorCatalogue,
  isBeachError,
  isStoreFailure,
  outcomeOf,
  unknownOutcome,
  type ErrorCode,
} from './errors.ts'
export { escapeHtml } from './escape-html.ts'
export { holdProcess, keepAlive } from './keep-alive.ts'
export {
  eventVersion,
  type ActorNoted,
  type ApprovalDecided,
  type ApprovalRequested,
  type ApprovalVoided,
  type CancelRequested,
  type DataErased,
  type DeliveryFailed,
  type DeliveryQueued,
  type DeliveryRetried,
  type DeliverySent,
  type EventDraft,
  type FinalizedBy,
  type LoggedEvent,
  type ManifestOpened,
  type ManifestSettled,
  type MessageReceived,
  type OriginatorJoined,
  type OriginatorLeft,
  type PartReceived,
  type ProposedPart,
  type QuestionWithdrawn,
  type SessionEvent,
  type SessionOpened,
  type SliceEvent,
  type SlotFilled,
  type SlotHeader,
  type SlotSaid,
  type SlotStarted,
  type StateChanged,
  type StateTransitionRejected,
  type StepCommitted,
  type ToolFinished,
  type ToolStarted,
  type TurnResumed,
  type TurnRetryScheduled,
  type TurnSettled,
  type TurnStarted,
  type TurnStateChanged,
} from './events.ts'
export { contentHash } from './content-hash.ts'
export { jsonCopy } from './json-copy.ts'
export { commitLimits, encodeCommit } from './encode-commit.ts'
export { orAborted, orStopped, rejectedBy } from './or-aborted.ts'
export { PassingMap } from './passing-map.ts'
export { RecentMap } from './recent-map.ts'
export { withEntry } from './table.ts'
export { withDefaults, type AllGiven } from './with-defaults.ts'
export { encodeId, parsePartId, partId } from './ids.ts'
export { createLogger, silentLogger, type LogFields, type Logger, type LogLevel } from './logger.ts'
export type { DeliveryClass, Originator } from './originator.ts'
export { othersContentOf, othersPart, type OthersContent } from './others-content.ts'
export type { DeclaredTypes } from './declared-types.ts'
export {
  isPart,
  type AuthoredPart,
  type MergeStrategy,
  type Part,
  type PartData,
  type PartMetadata,
  type PartType,
  type PartTypes,
  type SaidPart,
} from './part.ts'
export { mayAccess, mayApprove, principalKey, type Approver, type Principal } from './principal.ts'
export type {
  Actor,
  ApprovalAsked,
  CommittedStep,
  Emit,
  Injection,
  LiveText,
  ManifestPlan,
  Note,
  PastTurn,
  PlannedTool,
  ShowLive,
  SlotPlan,
  Step,
  ToolCall,
  ToolOutcome,
  ToolRun,
  TurnContext,
  Work,
  WorkRun,
} from './ports/actor.ts'
export type {
  Artifact,
  ArtifactAbout,
  ArtifactContent,
  ArtifactLink,
  ArtifactQuery,
  ArtifactStore,
  ByteRange,
  StoredArtifact,
} from './ports/artifacts.ts'
export { askAuthenticator, type Authentication, type Authenticator, type Credential } from './ports/authenticator.ts'
export type { Channel, PushPolicy, SendOutcome } from './ports/channel.ts'
export type { ChannelPreview, PreviewFile, PreviewItem, TurnPreview } from './ports/preview.ts'
export type {
  ApprovalAnswer,
  ApprovalOutcome,
  DeadLetter,
  DeadLetterEntry,
  Decided,
  Decision,
  ExposedCall,
  Frame,
  FramePlace,
  FrameSink,
  Inbound,
  InFlight,
  ManifestView,
  Message,
  Opening,
  OpenOptions,
  OriginatorView,
  Page,
  Posted,
  SessionQuery,
  Sessions,
  SessionSummary,
  SessionView,
  SliceAsk,
  SlotState,
  Told,
  TurnView,
  Watch,
} from './ports/sessions.ts'
export type { Ask, Effect, EffectRun, Heard, HearContext, HearOutcome, Slice } from './ports/slice.ts'
export type { PlainTool, ToolAction, ToolContext, ToolShow } from './ports/tool.ts'
export type { KeyRetention, RecordTimes, RetentionContext, SessionStanding } from './ports/retention.ts'
export {
  atOnce,
  Conflict,
  type BoundKey,
  type Lease,
  type Live,
  type TailItem,
  type Store,
  type StoredEvent,
} from './ports/store.ts'
export { systemRuntime, type Runtime } from './runtime.ts'
export { SimulatedClock, simulatedRuntime } from './simulated-runtime.ts'
export {
  EventRouter,
  type Admission,
  type Admit,
  type EventRouterOptions,
  type StateTransitionRefusal,
  type Transitions,
} from './event-router.ts'
export { clarifyOptions, clarifyText } from './registries/clarify-options.ts'
export { stateSlice } from './state-slice.ts'
export {
  SessionLog,
  sliceState,
  toLogged,
  type CommitOptions,
  type Committed,
  type Decide,
  type SessionRecord,
  type SessionState,
  type TurnStarter,
} from './session-log.ts'
export { sessionSlice, type SessionSliceState } from './session-slice.ts'
export { AuthTypeRegistry, authTypes, type AuthTypeEntry, type AuthTypeRegistration } from './registries/auth-types.ts'
export {
  deliveryDecisions,
  isDeliveryDecision,
  type DeliveryDecision,
  type DeliveryRules,
} from './registries/delivery-rules.ts'
export {
  addCanonicalPartTypes,
  PartTypeRegistry,
  partTypeRegistry,
  partTypes,
  type PatchOperation,
  type PartTypeAmendment,
  type PartTypeDeclaration,
  type PartTypeEntry,
  type PartTypeFunctions,
  type PartTypeMetaDeclaration,
  type PartTypeRegistration,
} from './registries/part-types.ts'
export { linearPattern, type LinearPattern } from './linear-pattern/linear-pattern.ts'
export { Registry, type RegistryEntry, type RegistryOptions } from './registries/registry.ts'
export {
  TransportRegistry,
  transports,
  type TransportEntry,
  type TransportRegistration,
} from './registries/transports.ts'
export {
  TurnStateRegistry,
  turnStates,
  type GivenTurnState,
  type TurnState,
  type TurnStateEntry,
  type TurnStateMeaning,
  type TurnStateRegistration,
  type TurnStates,
} from './registries/turn-states.ts'
export {
  initialCoordinates,
  type ComponentDefinition,
  type CoordinateDefinition,
  type Coordinates,
  type StateMachineDefinition,
} from './state-machines/definition.ts'
export { parseStateMachine } from './state-machines/parse-definition.ts'
export { StateMachineRegistry, stateMachines } from './state-machines/state-machine-registry.ts'
export {
  applyTransitions,
  type StateTransition,
  type TransitionOutcome,
  type TransitionRejection,
  type TransitionSource,
} from './state-machines/transition.ts'
