export { SimulatedClock, simulatedRuntime } from '@cool-ai/beach-core'
export { type Duration, testAgent, type TestAgent, type TestAgentOptions } from './agent/test-agent.ts'
export type { DecideOptions, TestConversation, TestTurn } from './agent/test-conversation.ts'
