import { llmActor } from '@cool-ai/beach-llm'
import { model } from './model.ts'
import { timeIn } from './time-in.ts'

export const greeter = llmActor({
  name: 'greeter',
  model,
  instructions: 'You tell the time. Be brief. Use the tool time_in; do not guess.',
  tools: [timeIn],
})
