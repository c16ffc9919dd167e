import { silentLogger, systemRuntime, type Principal } from '@cool-ai/beach-core'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import { script } from '@cool-ai/beach-testing/model'
import { beforeEach, describe, expect, test, type TestContext } from 'vitest'
import { z } from 'zod'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'

let paid: unknown[]
beforeEach(() => void (paid = []))

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({
    invoice: z.string().meta({ title: 'Invoice' }),
    amount: z.number().positive().max(500).meta({ title: 'Amount' }),
    method: z.enum(['bank transfer', 'card']).meta({ title: 'Method' }),
    urgent: z.boolean().meta({ title: 'Urgent' }),
    note: z.string().min(3).optional().meta({ title: 'Note' }),
  }),
  requiresApproval: true,
  approval: ({ amount }) => ({
    title: `Pay £${amount}`,
    editable: ['amount', 'method', 'urgent', 'note'],
    allowForSession: true,
    amount: { value: amount, currency: 'GBP' },
  }),
  handler: (input) => void paid.push(input),
})
const clerk = llmActor({ name: 'clerk', model: script(), prompt: 'You pay invoices.', tools: [pay] })
const args = { invoice: 'A1', amount: 300, method: 'bank transfer', urgent: false }

const anna: Principal = { kind: 'user', id: 'anna', tenant: 'default' }

/** A request that waits in Anna's inbox; what the model is told of it is in `told`. */
async function waiting() {
  const told: string[] = []
  const agent = await testAgent({
    actors: { clerk },
    model: [
      { tools: [{ name: 'pay', args }] },
      ({ results }: { readonly results: ReadonlyMap<string, unknown> }) => {
        told.push(String(results.get('pay')))
        return 'Done.'
      },
      { tools: [{ name: 'pay', args: { ...args, amount: 90 } }] },
      'Done.',
    ],
    runtime: { ...systemRuntime(), logger: silentLogger },
    access: { authenticators: [async () => ({ principal: anna, credential: { type: 'test' } })] },
  })
  const conversation = agent.open(anna)
  await conversation.say('Pay A1.')
  return { agent, conversation, told, url: await agent.serve() }
}

/** The inbox's page in a browser. */
async function inbox(context: TestContext, url: string) {
  const browser = await newBrowser(context, { viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
  const page = await browser.newPage()
  await page.goto(`${url}/approvals`)
  return page
}

describe('the form of the inbox', () => {
  test('changes arguments and allows the tool up to a sum, on a small phone and without a script', async (context) => {
    const { agent, conversation, told, url } = await waiting()
    await using _ = agent
    const page = await inbox(context, url)
    await page.getByText('Change before approving').click()
    await page.getByText('Allow this without asking again').click()
    expect(await barriersOn(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    await page.getByLabel('Amount').fill('250')
    await page.getByLabel('Urgent').selectOption('yes')
    await page.getByLabel('For the rest of this conversation').check()
    expect(await page.getByLabel('Up to, in all (£)').inputValue()).toBe('300')
    await page.getByLabel('Up to, in all (£)').fill('350')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved.').waitFor()
    expect((await conversation.say('Pay A2.')).approvals, 'within the allowance').toEqual([])
    expect(paid).toEqual([
      { ...args, amount: 250, urgent: true },
      { ...args, amount: 90 },
    ])
    expect(told[0]).toContain('{"amount":250,"urgent":true}')
  })

  test('leaves all as it was where nothing was changed, and says nothing of a change', async (context) => {
    const { agent, conversation, told, url } = await waiting()
    await using _ = agent
    const page = await inbox(context, url)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved.').waitFor()
    expect((await conversation.say('Pay A2.')).approvals, 'nothing is allowed').toHaveLength(1)
    expect(paid).toEqual([args])
    expect(told[0]).not.toContain('changed')
  })

  test('says on a page what is wrong, and decides nothing', async (context) => {
    const { agent, url } = await waiting()
    await using _ = agent
    const page = await inbox(context, url)
    for (const [amount, problem] of [
      ['501', /amount/],
      ['', /Give a number for “amount”/],
    ] as const) {
      await page.getByText('Change before approving').click()
      await page.getByLabel('Amount').fill(amount)
      await page.getByRole('button', { name: 'Approve' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(problem)
      expect(await barriersOn(page)).toEqual([])
      await page.getByRole('link', { name: 'Back to your decisions' }).click()
    }
    expect(paid).toEqual([])
    // What stands in the fields is of no account to a denial.
    await page.getByText('Change before approving').click()
    await page.getByLabel('Amount').fill('501')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Denied.').waitFor()
  })
})
