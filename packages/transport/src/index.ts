export { wellKnownAgentCard, type WellKnownAgentCardOptions } from '@cool-ai/beach-protocol/agent-card'
export { artifactsRoute, type ArtifactsRouteOptions } from './artifacts/artifacts-route.ts'
export { deviceLinksRoute, type DeviceLinksRouteOptions } from './device-links/device-links-route.ts'
export {
  guardedFetch,
  streamLimits,
  type FetchLimits,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequestInit,
  type RequestGuard,
  type ResolveHost,
  type TlsIdentity,
} from './guarded-fetch/guarded-fetch.ts'
export { GuessLimit } from './http/guess-limit.ts'
export { bodyLimits, readJson, type BodyLimits } from './http/json-body.ts'
export { hasForeignOrigin } from './http/foreign-origin.ts'
export { noteNodeRequest } from './http/body-pieces.ts'
export { HeldBodies, noteHeldBodies, type HeldBodiesLimits } from './http/held-bodies.ts'
export { noteNodeResponse } from './http/node-response.ts'
export { readdressed } from './http/readdressed.ts'
export { noteRemoteAddress, remoteNetwork } from './http/remote-address.ts'
export { errorResponse, jsonResponse } from './http/responses.ts'
export { channelKeys } from './key-retention.ts'
export { Openings, type OpeningLimits } from './live/openings.ts'
export { StreamCount } from './live/stream-count.ts'
export { operatorRoute, type OperatorRouteOptions } from './operator/operator-route.ts'
export {
  AgentRegistry,
  isTerminalFor,
  loadAgents,
  type AgentRegistryOptions,
  type LoadedAgents,
  type LocalTransport,
  type Peer,
  type PeerListing,
  type PeerStatus,
  type PeerTransport,
  type PeerTrust,
  type RefreshOptions,
  type RefusedTransport,
} from './registry/index.ts'
export { sseChannel, type SseChannelOptions } from './sse/sse-channel.ts'
