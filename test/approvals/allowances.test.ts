import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

let paid: number[]
beforeEach(() => void (paid = []))

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  inputSchema: z.object({ amount: z.number() }),
  requiresApproval: true,
  approval: ({ amount }) => ({
    title: `Pay £${amount}`,
    allowForSession: true,
    amount: { value: amount, currency: 'GBP' },
  }),
  handler: ({ amount }) => paid.push(amount),
})
const ring = defineTool({
  name: 'ring',
  description: 'Rings the bell.',
  inputSchema: z.object({}),
  requiresApproval: true,
  handler: () => 'ding',
})
const clerk = llmActor({ name: 'clerk', model: script(), prompt: 'You pay.', tools: [pay, ring] })

/** A clerk whose model makes one call with each message, and then says that it is done. */
function clerkWho(...calls: readonly { readonly name: string; readonly args: object }[]) {
  return testAgent({ actors: { clerk }, model: calls.flatMap((call) => [{ tools: [call] }, 'Done.']) })
}
const pays = (...amounts: readonly number[]) =>
  clerkWho(...amounts.map((amount) => ({ name: 'pay', args: { amount } })))

test('a tool that is allowed for the session runs without being asked for, until the sum is used up', async () => {
  await using agent = await pays(100, 150, 60, 40)
  await agent.say('Pay 100.')
  await agent.approve(undefined, { allow: { upTo: 200 } })
  expect((await agent.say('Pay 150.')).approvals, 'within it').toEqual([])
  expect(paid).toEqual([100, 150])
  const third = await agent.say('Pay 60.')
  expect(third.approvals, '50 are left').toMatchObject([{ args: { amount: 60 } }])
  await agent.deny()
  expect((await agent.say('Pay 40.')).approvals, 'within what is left').toEqual([])
  expect(paid).toEqual([100, 150, 40])
  const { allowances } = await agent.beach.sessions.view(agent.conversation.sessionId, agent.conversation.principal)
  expect(allowances).toMatchObject([{ tool: 'pay', upTo: { value: 200, currency: 'GBP' }, used: 190 }])
})

test('calls of one message share what is left', async () => {
  const both = [
    { name: 'pay', args: { amount: 80 } },
    { name: 'pay', args: { amount: 90 } },
  ]
  await using agent = await testAgent({
    actors: { clerk },
    model: [{ tools: [{ name: 'pay', args: { amount: 1 } }] }, 'Done.', { tools: both }, 'Done.'],
  })
  await agent.say('Pay 1.')
  await agent.approve(undefined, { allow: { upTo: 100 } })
  const turn = await agent.say('Pay 80 and 90.')
  expect(turn.approvals).toMatchObject([{ args: { amount: 90 } }])
  await agent.approve()
  expect(paid.toSorted((one, other) => one - other)).toEqual([1, 80, 90])
})

test('what was allowed is revoked by its owner, and by no other caller', async () => {
  await using agent = await pays(10, 10)
  const asked = await agent.say('Pay 10.')
  await agent.approve(undefined, { allow: { upTo: 100 } })
  const { sessionId, principal } = agent.conversation
  const approvalId = asked.approvals[0]?.approvalId ?? ''
  const { sessions } = agent.beach
  expect(await sessions.revoke(sessionId, approvalId, { ...principal, id: 'mallory' })).toBe(false)
  expect(await sessions.revoke(sessionId, approvalId, principal)).toBe(true)
  expect(await sessions.revoke(sessionId, approvalId, principal), 'once').toBe(false)
  expect((await agent.say('Pay 10.')).approvals).toHaveLength(1)
})

test.each([
  ['without a sum', 'pay', {}, 'Say up to which sum the tool is allowed, in GBP'],
  ['of a tool that cannot be allowed', 'ring', {}, 'This tool cannot be allowed for the session.'],
])('an allowance %s is refused, and nothing is decided', async (_, name, allow, problem) => {
  await using agent = await clerkWho({ name, args: name === 'pay' ? { amount: 5 } : {} })
  const asked = await agent.say('Go.')
  await expect(agent.approve(asked.approvals[0], { allow })).rejects.toThrow(problem)
  expect((await agent.approve()).text).toBe('Done.')
})
