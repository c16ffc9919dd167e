import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { expect, test } from 'vitest'
import { z } from 'zod'

const paid: string[] = []
const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  approvalExpiresMs: 60 * 60 * 1_000,
  handler: ({ invoice }) => paid.push(invoice),
})
// In your program the model is a real one; the test puts its script in that model's place.
const clerk = llmActor({ name: 'clerk', model: script(), prompt: 'You pay invoices.', tools: [pay] })

test('the clerk pays what the user has approved', async () => {
  const model = [{ tools: [{ name: 'pay', args: { invoice: 'A1' } }] }, 'Invoice A1 is paid.']
  await using agent = await testAgent({ actors: { clerk }, model })
  const asked = await agent.say('Pay invoice A1.')
  expect(asked.approvals).toMatchObject([{ toolName: 'pay', args: { invoice: 'A1' } }])
  expect(paid).toEqual([])
  const done = await agent.approve(asked.approvals[0])
  expect(done.text).toBe('Invoice A1 is paid.')
  expect(paid).toEqual(['A1'])
})

test('the clerk pays nothing without an approval in time', async () => {
  const model = [{ tools: [{ name: 'pay', args: { invoice: 'A2' } }] }, 'It was not approved.']
  await using agent = await testAgent({ actors: { clerk }, model })
  await agent.say('Pay invoice A2.')
  await agent.advance('1 hour')
  expect(agent.turns).toMatchObject([{ settled: true, text: 'It was not approved.' }])
  expect(paid).not.toContain('A2')
})
