import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

let paid: unknown[]
beforeEach(() => void (paid = []))

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice. It cannot be undone.',
  inputSchema: z.object({
    invoice: z.string().meta({ title: 'Invoice' }),
    amount: z.number().positive().max(500).meta({ title: 'Amount in pounds' }),
  }),
  requiresApproval: true,
  approval: ({ invoice, amount }) => ({ title: `Pay £${amount} for ${invoice}`, editable: ['amount'] }),
  handler: (input) => {
    paid.push(input)
    return { paid: input.amount }
  },
})
const clerk = llmActor({ name: 'clerk', model: script(), prompt: 'You pay invoices.', tools: [pay] })

/** A clerk who wants to pay £300; what the model is told of it is in `told`. */
async function asking() {
  const reported: unknown[] = []
  const model = [
    { tools: [{ name: 'pay', args: { invoice: 'A1', amount: 300 } }] },
    ({ results }: { readonly results: ReadonlyMap<string, unknown> }) => {
      reported.push(results.get('pay'))
      return 'Done.'
    },
  ]
  const agent = await testAgent({ actors: { clerk }, model })
  const asked = await agent.say('Pay A1.')
  return { agent, asked, reported }
}

describe('an approver who changes arguments before approving', () => {
  test('has the tool run with them, and the model is told', async () => {
    const { agent, reported } = await asking()
    await using _ = agent
    const done = await agent.approve(undefined, { args: { amount: 250 }, reason: 'The rest is in dispute.' })
    expect(done.text).toBe('Done.')
    expect(paid).toEqual([{ invoice: 'A1', amount: 250 }])
    expect(String(reported[0])).toContain('The approver changed these arguments before approving')
    expect(String(reported[0])).toContain('{"amount":250}')
  })

  test.each([
    ['above the schema', { amount: 501 }, 'amount'],
    ['of another type', { amount: '250' }, 'amount'],
    [
      'that cannot be changed',
      { invoice: 'B2' },
      "The argument 'invoice' of this call cannot be changed. Those that can be are: amount.",
    ],
    ['that the call does not have', { to: 'me' }, "The argument 'to' of this call cannot be changed."],
  ])('is refused with one %s, and nothing is decided', async (what, args, problem) => {
    const { agent, asked } = await asking()
    await using _ = agent
    await expect(agent.approve(asked.approvals[0], { args }), what).rejects.toThrow(problem)
    expect(paid).toEqual([])
    const done = await agent.approve(asked.approvals[0])
    expect(done.text).toBe('Done.')
    expect(paid).toEqual([{ invoice: 'A1', amount: 300 }])
  })

  test('is refused with a denial', async () => {
    const { agent } = await asking()
    await using _ = agent
    await expect(agent.deny(undefined, { args: { amount: 1 } })).rejects.toThrow(
      'A denial changes no arguments and allows nothing.',
    )
  })

  test('who may not decide learns nothing of what can be changed', async () => {
    const { agent, asked } = await asking()
    await using _ = agent
    const by = { kind: 'user', id: 'mallory', tenant: 'default' } as const
    const deciding = agent.approve(asked.approvals[0], { by, args: { invoice: 'mine' } })
    const error = await deciding.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toMatch(/invoice|amount/)
    expect(paid).toEqual([])
  })
})

test('by HTTP a decision with wrong `args` says what it takes', async () => {
  const { agent } = await asking()
  await using _ = agent
  const url = await agent.serve()
  const opened = (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as Record<string, string>
  const headers = { authorization: `Bearer ${opened.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/sessions/${opened.sessionId}/approvals/none`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ decision: 'granted', args: 5 }),
  })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('`args`, the changed arguments')
})
