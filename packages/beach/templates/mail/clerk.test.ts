import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTranscript, testAgent } from '@cool-ai/beach-testing'
import { clerk } from './clerk.ts'
import { paid } from './pay.ts'

const call = { name: 'pay', args: { invoice: 'A1', amount: 40 } }

void test('an invoice is paid once an approver has approved it', async (context) => {
  const agent = await testAgent({ actors: { clerk }, model: [{ tools: [call] }, 'Invoice A1 is paid.'] })
  context.after(agent.stop)
  const asked = await agent.say('Pay invoice A1 for 40.')
  assert.equal(asked.approvals[0]?.toolName, 'pay')
  assert.deepEqual(paid, [])
  const done = await agent.approve()
  assert.equal(done.text, 'Invoice A1 is paid.')
  assert.deepEqual(paid, ['A1'])
  // After a change that is right: BEACH_UPDATE_TRANSCRIPTS=1 npm test
  await matchTranscript(agent, new URL('./paying.transcript.txt', import.meta.url))
})

void test('an invoice that was denied is not paid', async (context) => {
  const model = [{ tools: [{ name: 'pay', args: { invoice: 'B2', amount: 90 } }] }, 'It was not approved.']
  const agent = await testAgent({ actors: { clerk }, model })
  context.after(agent.stop)
  await agent.say('Pay invoice B2 for 90.')
  const done = await agent.deny(undefined, { reason: 'Too much.' })
  assert.equal(done.text, 'It was not approved.')
  assert.ok(!paid.includes('B2'))
})

void test('a request waits on when the agent crashes, and the invoice is paid once', async (context) => {
  const model = [{ tools: [{ name: 'pay', args: { invoice: 'C3', amount: 5 } }] }, 'Invoice C3 is paid.']
  const agent = await testAgent({ actors: { clerk }, model })
  context.after(agent.stop)
  await agent.say('Pay invoice C3 for 5.')
  await agent.crash()
  const done = await agent.approve()
  assert.equal(done.text, 'Invoice C3 is paid.')
  assert.deepEqual(
    paid.filter((invoice) => invoice === 'C3'),
    ['C3'],
  )
})
