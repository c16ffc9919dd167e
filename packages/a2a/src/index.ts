export { a2aChannel, type A2aChannelOptions } from './server/a2a-channel.ts'
export { a2aPreview } from './server/a2a-preview.ts'
export { agentKey, type AgentKey } from './server/agent-key.ts'
export type { A2aInterface } from './server/caller.ts'
