/** @deprecated Import from `@cool-ai/beach-a2a/peers`, and `fromLegacyCard` from `@cool-ai/beach-transport/registry`. */
export {
  callLimits,
  type CallLimits,
  type CallResult,
  type CallState,
  type CallTask,
  type PartOrigin,
  type PeerPart,
} from '@cool-ai/beach-channel/peers'
export { fromLegacyCard } from './registry/legacy-card.ts'
