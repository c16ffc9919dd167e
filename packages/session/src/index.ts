export { defineActor, type ActorContext, type FlowingPart, type FlowingText, type Respond } from './function-actor.ts'
export {
  SessionTurnManager,
  type SessionLimits,
  type SessionTurnManagerOptions,
  type WhileBusy,
} from './session-turn-manager.ts'
export type { ViewerLimits } from './viewer.ts'
