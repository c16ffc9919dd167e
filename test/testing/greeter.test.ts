import { defineActor } from '@cool-ai/beach'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'

const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
})

test('the greeter repeats what the user says', async () => {
  await using agent = await testAgent({ actors: { greeter } })
  const turn = await agent.say('hello')
  expect(turn.text).toBe('You said: hello')
  expect(turn.turnState).toBe('complete')
})
