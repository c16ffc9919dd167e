import { llmActor } from '@cool-ai/beach-llm'
import { model } from './model.ts'
import { pay } from './pay.ts'

export const clerk = llmActor({
  name: 'clerk',
  model,
  instructions: 'You pay invoices with the tool pay. Say what came of it.',
  tools: [pay],
})
