import { llmActor } from '@cool-ai/beach-llm'
import { model } from './model.ts'

export const concierge = llmActor({
  name: 'concierge',
  model,
  instructions: 'You plan days out. Ask the agent weather what the weather will be before you advise.',
})
