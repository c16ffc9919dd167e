import type { PlainTool } from '@cool-ai/beach-core'
import { isBeachError } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../models/scripted-model.ts'
import { defineTool } from '../tools/tool.ts'
import { llmActor } from './llm-actor.ts'

const model = scriptedModel({ rules: [] })
const wrong = expect.toSatisfy((error) => isBeachError(error, 'INVALID_CONFIGURATION'))
const offered = (name: string): PlainTool => ({
  name,
  description: 'Asks travel.',
  inputSchema: { type: 'object' },
  handler: async () => 'theirs',
})

test('an actor without instructions is refused', () => {
  expect(() => llmActor({ model })).toThrow(wrong)
})

test("an id that names no provider's model is refused when the agent is made", async () => {
  const actor = llmActor({ model: 'nobody/nothing', instructions: 'You pay.' })
  await expect(actor.within?.({ name: 'clerk', others: [], tools: [] })).rejects.toThrow(
    "'nobody/nothing' is not a model's id",
  )
})

test("an actor's own tool comes before one that the agent offers by the same name", async () => {
  const own = defineTool({
    name: 'ask_travel',
    description: 'Its own.',
    inputSchema: z.object({}),
    background: true,
    handler: async () => 'own',
  })
  const actor = llmActor({ model, instructions: 'You pay.', tools: [own] })
  const placed = await actor.within?.({
    name: 'clerk',
    others: [],
    tools: [offered('ask_travel'), offered('ask_other')],
  })
  expect(Object.keys(placed?.works ?? {})).toEqual(Object.keys(actor.works ?? {}))
})
