export { wellKnownAgentCard, type WellKnownAgentCardOptions } from '@cool-ai/beach-protocol/agent-card'
export {
  type FetchLimits,
  guardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequestInit,
  type RequestGuard,
} from '@cool-ai/beach-channel/guarded-fetch'
export * from './registry/index.ts'

/** @deprecated Import from `@cool-ai/beach-channel/http`. */
export { bodyLimits, errorResponse, jsonResponse, readJson, type BodyLimits } from '@cool-ai/beach-channel/http'
