export type { SessionLimits, WhileBusy } from './turn/admission.ts'
export type { Erasure } from './erasure/erase-session.ts'
export {
  defineActor,
  type ActorContext,
  type ActorOptions,
  type StreamedPart,
  type StreamedText,
  type Respond,
} from './turn/function-actor.ts'
export type { RetryFailed } from './host/leased-session.ts'
export type { Manifest, SettledManifest, SlotResult } from './manifests/manifest.ts'
export { SessionTurnManager, type SessionTurnManagerOptions } from './host/session-turn-manager.ts'
export { openTurnTrace } from './turn/turn-slice.ts'
export type { ViewerLimits } from './feed/viewer.ts'
