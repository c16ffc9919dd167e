export { SimulatedClock, simulatedRuntime } from '@cool-ai/beach-core'
export type {
  DecideOptions,
  Duration,
  TrialAgent as TestAgent,
  TrialConversation as TestConversation,
  TrialTurn as TestTurn,
} from '@cool-ai/beach/trial'
export { matchTranscript, type MatchTranscriptOptions } from './agent/match-transcript.ts'
export { testAgent, type TestAgentOptions } from './agent/test-agent.ts'
