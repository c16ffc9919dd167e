export type { CallResult, CallState, CallTask, PartOrigin, PeerPart } from './call-result.ts'
export { callLimits, type CallLimits } from './limits.ts'
export { fromLegacyCard } from './legacy-card.ts'
