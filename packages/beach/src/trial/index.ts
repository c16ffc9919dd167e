export { milliseconds, type Duration } from './duration.ts'
export { trialAgent, type TrialAgent, type TrialAgentOptions } from './trial-agent.ts'
export type { DecideOptions, TrialConversation, TrialTurn } from './trial-conversation.ts'
