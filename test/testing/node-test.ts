import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineActor } from '@cool-ai/beach'
import { testAgent } from '@cool-ai/beach-testing'

const waiter = defineActor(async ({ tool, respond }) => {
  const { outcome } = await tool(
    { name: 'order', args: { dish: 'soup' }, requiresApproval: true },
    async () => 'ordered',
  )
  await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
})

void test('the waiter orders what the guest has approved', async (context) => {
  const agent = await testAgent({ actors: { waiter } })
  context.after(agent.stop)
  await agent.say('Soup, please.')
  const { text } = await agent.approve()
  assert.equal(text, 'ok')
})
