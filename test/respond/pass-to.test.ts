import { llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { expect, test } from 'vitest'

// Document 004, "passTo — multi-actor handoff", with the document's own call.

const handoff = {
  parts: [{ text: 'Handing off to the drafter.', metadata: { partType: 'thinking' } }],
  turnState: 'passed',
  passTo: 'drafter',
}
const drafter = llmActor({ model: script('Here is a draft.'), instructions: 'You draft.' })

test('a model hands over to another actor of its agent without further configuration', async () => {
  const clerk = llmActor({ model: script({ respond: handoff }), instructions: 'You take orders.' })
  await using agent = await testAgent({ actors: { clerk, drafter }, entry: 'clerk' })
  const turn = await agent.say('Write to Bob.')
  expect(turn.parts.map(({ text }) => text)).toEqual(['Handing off to the drafter.', 'Here is a draft.'])
  expect(turn.turnState).toBe('complete')
})

test('a list of actors limits what a model can hand over to', async () => {
  const model = script({ respond: handoff }, ({ results }) => `Told: ${results.get('respond')}`)
  const clerk = llmActor({ model, instructions: 'You take orders.', passTo: ['other'] })
  const other = llmActor({ model: script('Never asked.'), instructions: 'You wait.' })
  await using agent = await testAgent({ actors: { clerk, drafter, other }, entry: 'clerk' })
  const turn = await agent.say('Write to Bob.')
  expect(turn.text).toBe("Told: There is no actor 'drafter'. Pass to one of: other.")
})

test('an actor that is alone is not offered to hand over', async () => {
  const model = script({ respond: handoff }, ({ results }) => `Told: ${results.get('respond')}`)
  await using agent = await testAgent({ actors: { clerk: llmActor({ model, instructions: 'You take orders.' }) } })
  expect((await agent.say('Write to Bob.')).text).toBe(
    "Told: There is no actor to pass to: use another turn state than 'passed'.",
  )
})
