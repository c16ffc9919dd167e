export {
  agentCaller,
  usualConsumes,
  type AgentCaller,
  type AgentCallerOptions,
  type CallAgent,
  type CallAgentOptions,
  type ResumeCall,
} from './agent-caller.ts'
export type { SchemaProblems } from './capability-check.ts'
export { checkHops, hopsTo, mostHops } from './hops.ts'
export { fromMessageMetadata, toMessageMetadata, type CallerMetadata } from './message-metadata.ts'
export type { CallablePeer, McpCall, McpCaller, Peers } from './peers.ts'
export { peerTools, type PeerToolsOptions } from './peer-tools.ts'
export { shownPart, type ShowPart } from './shown-part.ts'
