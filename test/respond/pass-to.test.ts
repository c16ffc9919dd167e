import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { expect, test } from 'vitest'
import { z } from 'zod'

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

test('the actor that takes over inherits what was said and found, and works with its own tools', async () => {
  const ran: string[] = []
  const tool = (name: string) =>
    defineTool({
      name,
      description: name,
      inputSchema: z.object({}),
      handler: () => {
        ran.push(name)
        return `${name} has run`
      },
    })
  const found = { turnState: 'awaiting', parts: [{ data: { flights: [1] }, metadata: { partType: 'domain-data' } }] }
  const clerk = llmActor({
    model: script({ respond: found, tools: [{ name: 'file', args: {} }] }, { respond: handoff }),
    instructions: 'You take orders.',
    tools: [tool('file')],
  })
  const writer = llmActor({
    model: script(
      {
        tools: [
          { name: 'file', args: {} },
          { name: 'write', args: {} },
        ],
      },
      ({ results, text }) => {
        return `${text} ${results.get('file')} ${results.get('write')}`
      },
    ),
    instructions: 'You draft.',
    tools: [tool('write')],
  })
  await using agent = await testAgent({ actors: { clerk, drafter: writer }, entry: 'clerk' })
  const turn = await agent.say('Write to Bob.')
  expect(ran).toEqual(['file', 'write'])
  expect(turn.text).toBe("Write to Bob. There is no tool 'file'. There are: write. write has run")
  expect(agent.turns).toHaveLength(1)
  // One answer, whose envelope has the data of the actor before: a peer's task and a mail are answered once.
  expect(turn.parts.map(({ partType }) => partType)).toEqual(['domain-data', 'thinking', 'response'])
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
