export type { SessionLimits, WhileBusy } from './admission.ts'
export type { Erasure } from './erasure/erase-session.ts'
export {
  defineActor,
  type ActorContext,
  type ActorOptions,
  type FlowingPart,
  type FlowingText,
  type Respond,
} from './function-actor.ts'
export type { RetryFailed } from './hold.ts'
export type { Manifest, SettledManifest, SlotResult } from './manifests/manifest.ts'
export { SessionTurnManager, type SessionTurnManagerOptions } from './session-turn-manager.ts'
export type { ViewerLimits } from './viewer.ts'
