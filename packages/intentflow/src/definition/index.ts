export { type FlowConversation } from './conversation.ts'
export { defineFlow, type FlowMetaOptions, type FlowOptions } from './define-flow.ts'
export {
  defineEventHandlers,
  type ChildRequest,
  type EventHandler,
  type EventHandlers,
  type HandlerInput,
  type HandlerResult,
  type PropsChange,
} from './event-handlers.ts'
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
} from './flow.ts'
export type { FlowMachine, FollowUpData, MachineEvent, MachineState, MachineStep } from './flow-machine.ts'
export {
  defineHydrator,
  type Hydrated,
  type Hydrator,
  type HydratorInput,
  type OrchestrationContext,
} from './hydrator.ts'
export { defineIntent, type ContextRequirement, type Intent, type IntentOptions } from './intent.ts'
export { flowToolName, intentIdOfTool } from './intent-id.ts'
export { migrateProps, propsForClient } from './migrations.ts'
export { bareEvents, nameInWords, offeredEvents, type OfferedEvent } from './offered-events.ts'
export { checkPermissions, type FlowPermissions, type PermissionCheck, type FlowUser } from './permissions.ts'
export { compareVersions, isVersion } from './semver.ts'
export type { FlowWatch, WatchTools } from './watch.ts'
export { childDone } from './xstate-machine.ts'
