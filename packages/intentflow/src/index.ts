export { checkPermissions, type FlowPermissions, type FlowUser } from './definition/permissions.ts'
export { isVersion } from './definition/migrations.ts'
export {
  defineEventHandlers,
  type EventHandler,
  type EventHandlers,
  type HandlerInput,
  type HandlerResult,
  type PropsChange,
  type FlowWatch,
} from './definition/event-handlers.ts'
export { defineFlow, type FlowMetaOptions, type FlowOptions } from './definition/define-flow.ts'
export {
  defineHydrator,
  type Hydrated,
  type Hydrator,
  type HydratorInput,
  type OrchestrationContext,
} from './definition/hydrator.ts'
export { defineIntent, type Intent, type IntentOptions, flowToolName, intentIdOfTool } from './definition/intent.ts'
export type {
  EventOf,
  Flow,
  FlowEvent,
  FlowEvents,
  FlowMeta,
  FlowMigration,
  FlowView,
  PayloadOf,
  PropsOf,
  FlowConversation,
  FlowMachine,
  MachineEvent,
} from './definition/flow.ts'
export {
  createRegistry,
  FlowRegistry,
  type FlowBundle,
  type FlowParts,
  type RegisteredFlow,
  type FlowFilter,
} from './registry/flow-registry.ts'
export type { CapabilityManifest, FlowCategory, FlowCategoryOptions } from './registry/capability-manifest.ts'
export type { SearchOptions } from './registry/search.ts'
export {
  actionPayloadSchema,
  type ActionPayload,
  type ActionRequest,
  type ActionType,
} from './schemas/action-payload.ts'
export {
  actionResponsePayloadSchema,
  clientEventSchema,
  dismissRequestPayloadSchema,
  eventPayloadSchema,
  intentFlowSaidSchema,
  invokePayloadSchema,
  type ActionResponsePayload,
  type ClientEvent,
  type DismissRequestPayload,
  type EventPayload,
  type IntentFlowSaid,
  type InvokePayload,
} from './schemas/client-payloads.ts'
export {
  dismissPayloadSchema,
  errorPayloadSchema,
  propsUpdatePayloadSchema,
  renderPayloadSchema,
  transitionPayloadSchema,
  type DismissPayload,
  type DismissReason,
  type DisplayMode,
  type ErrorPayload,
  type FollowUp,
  type PatchOperation,
  type Priority,
  type PropsUpdatePayload,
  type Recovery,
  type RenderPayload,
  type TransitionPayload,
  serverEventSchema,
  type AGUICustomEvent,
  type IntentFlowEvent,
  type ServerEvent,
} from './schemas/server-payloads.ts'
export { errorCodes, type ErrorCode, FlowError, isFlowError, type FlowErrorOptions } from './schemas/flow-error.ts'
export { flowLimits } from './schemas/json-problem.ts'
export { intentFlowJsonSchemas, type JsonSchema } from './schemas/json-schemas.ts'
export { activeFlowsSchema, type ActiveFlows, type FlowInstance } from './state/flow-instance.ts'
export { statePatchOf } from './state/operations.ts'
export { applyServerEvent } from './state/apply-server-event.ts'
export { clarifyFlow, registerClarify, type Clarify } from './orchestration/clarify.ts'
export { understand, type Understood } from './orchestration/understand.ts'
export {
  defineConversation,
  type Conversation,
  type ConversationRule,
  type InFlow,
} from './orchestration/conversation.ts'
export { extractEntities, type Entities, type EntityHints } from './orchestration/entities.ts'
export { flowActor, type FlowActorOptions, type FlowOutcome, type FlowEngine } from './orchestration/flow-actor.ts'
export {
  localMatcher,
  type Match,
  type MatchContext,
  type Matcher,
  type MatcherOptions,
} from './orchestration/matcher.ts'
