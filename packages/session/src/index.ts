export { defineActor, type ActorContext, type FlowingPart, type FlowingText, type Respond } from './function-actor.ts'
export { SessionTurnManager, type SessionLimits, type SessionTurnManagerOptions } from './session-turn-manager.ts'
export type { ViewerLimits } from './viewer.ts'
