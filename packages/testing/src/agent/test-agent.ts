import { trialAgent, type TrialAgent, type TrialAgentOptions } from '@cool-ai/beach/trial'
import type { Model } from '@cool-ai/beach-llm'
import { script, type ScriptStep } from '../model/script.ts'

/** The options of `createBeach`, of which only the actors are needed, and further ones for tests. */
export interface TestAgentOptions extends Omit<TrialAgentOptions, 'model'> {
  /** Plays every `llmActor` in place of its own model: a model, or its messages one by one. */
  readonly model?: Model | readonly ScriptStep[] | undefined
}

/**
 * Starts an agent in memory, on a clock that stands still until the test advances it. The agent needs no test framework:
 * stop it in the framework's own way, or declare it with `await using`.
 */
export function testAgent({ model, ...options }: TestAgentOptions): Promise<TrialAgent> {
  return trialAgent({ ...options, model: model === undefined || 'modelId' in model ? model : script(...model) })
}
