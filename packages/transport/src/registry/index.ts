export { AgentRegistry, type AgentRegistryOptions, type RefreshOptions } from './agent-registry.ts'
export { isTerminalFor } from '@cool-ai/beach-channel/peers'
export { loadAgents, type LoadedAgents } from './load-agents.ts'
export type {
  LocalTransport,
  Peer,
  PeerListing,
  PeerStatus,
  PeerTransport,
  PeerTrust,
  RefusedTransport,
} from './peer.ts'
export { fromLegacyCard } from './legacy-card.ts'
