export {
  agentCaller,
  type AgentCaller,
  type AgentCallerOptions,
  type CallAgent,
  type CallAgentOptions,
  type ResumeCall,
} from './agent-caller.ts'
export type { SchemaProblems } from './capability-check.ts'
export { peerForward, peerTools, type PeerToolsOptions } from './peer-tools.ts'
export { shownPart, type ShowPart } from './shown-part.ts'
export {
  type CallablePeer,
  type CallerMetadata,
  callLimits,
  type CallLimits,
  type CallResult,
  type CallState,
  type CallTask,
  checkHops,
  defaultConsumes,
  fromMessageMetadata,
  hopsTo,
  type McpCall,
  type McpCaller,
  maxHops,
  type PartOrigin,
  type PeerCallOptions,
  type PeerPart,
  type Peers,
  toMessageMetadata,
} from '@cool-ai/beach-channel/peers'
