export type { Duration } from '@cool-ai/beach-core/runtime'
export { trialAgent, type TrialAgent, type TrialAgentOptions } from './trial-agent.ts'
export type { DecideOptions, TrialConversation, TrialTurn } from './trial-conversation.ts'
