import type { Beach, BeachOptions } from '@cool-ai/beach'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { script, type ScriptStep } from '@cool-ai/beach-testing/model'
import { StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { approvalIn, getTask, says, send, startAgent as startA2aAgent, stockClient as a2aClient } from '../a2a/agent.ts'
import { clients, customs, startAgent, StockAgent } from '../agui/agent.ts'
import { eras, stockClient, type Era } from '../mcp/support.ts'

type Start = (options: Pick<BeachOptions, 'actors'>) => Promise<{ readonly url: string; readonly beach: Beach }>

/** Pays as many pounds as it is told; the sum can be changed, and payments can be allowed. */
async function payer(start: Start = startAgent) {
  const paid: number[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number().max(500).meta({ title: 'Amount' }) }),
    requiresApproval: true,
    approval: ({ amount: value }) => ({
      title: `Pay £${value}`,
      editable: ['amount'],
      allowForSession: true,
      amount: { value, currency: 'GBP' },
    }),
    handler: ({ amount }) => {
      paid.push(amount)
      return 'paid'
    },
  })
  const pays: ScriptStep = ({ text }) => ({ tools: [{ name: 'pay', args: { amount: Number(text) } }] })
  const model = script(pays, 'Done.', pays, 'Done.', pays, 'Done.')
  const { url, beach } = await start({
    actors: { clerk: llmActor({ name: 'clerk', model, prompt: 'Pay.', tools: [pay] }) },
  })
  return { url, beach, paid }
}

describe.each(clients)('by AG-UI, %s', (client) => {
  test('an approver changes an argument and allows the tool up to a sum, as the request’s schema says', async () => {
    const { url, paid } = await payer()
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('300')
    expect(interrupts[0]?.responseSchema).toMatchObject({
      properties: {
        approved: { type: 'boolean' },
        editedArgs: { properties: { amount: { type: 'number', maximum: 500 } } },
        allow: { properties: { upTo: { type: 'number', title: 'Up to, in GBP' } } },
      },
    })
    const wrong = await stock.resume({ approved: true, editedArgs: { amount: 900 } })
    expect(wrong.rejected?.message).toMatch(/400.*amount/)
    await stock.resume({ approved: true, editedArgs: { amount: 250 }, allow: { upTo: 100 } })
    expect(paid).toEqual([250])
    expect((await stock.say('80')).interrupts).toEqual([])
    expect(paid).toEqual([250, 80])
    expect((await stock.say('30')).interrupts).toHaveLength(1)
  })

  test('a decision that comes too late is told how, where and when it was made before', async () => {
    const { url, beach, paid } = await payer()
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('300')
    const approvalId = interrupts[0]?.id ?? ''
    const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
    await beach.sessions.decide(approvalId, { decision: 'granted', via: 'smtp', args: { amount: 250 } }, operator)
    const late = await stock.resume({ approved: false })
    expect(customs(late.events, 'beach.notice')).toEqual([
      expect.objectContaining({
        code: 'ALREADY_DECIDED',
        message: expect.stringMatching(/^This was approved by mail, .* UTC\.$/) as string,
      }),
    ])
    expect(paid).toEqual([250])
  })
})

describe.each(Object.keys(eras) as Era[])('by MCP, a client of the %s era', (era) => {
  test('shows a form with the arguments that may be changed, and with a sum up to which payments are allowed', async () => {
    const { url, paid } = await payer()
    const shown: unknown[] = []
    const client = stockClient(era, () => ({ action: 'cancel' }))
    client.setRequestHandler('elicitation/create', async ({ params }): Promise<ElicitResult> => {
      shown.push('requestedSchema' in params ? params.requestedSchema : undefined)
      return { action: 'accept', content: { decision: 'granted', 'change:amount': 250, allow: 100 } }
    })
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
    const { tools } = await client.listTools()
    const ask = async (message: string, conversationId?: string) =>
      client.callTool({ name: tools[0]?.name ?? '', arguments: { message, ...(conversationId && { conversationId }) } })
    const { structuredContent } = await ask('300')
    expect(shown).toMatchObject([
      {
        properties: {
          decision: { enum: ['granted', 'denied'] },
          'change:amount': { type: 'number', maximum: 500, title: 'Change: Amount' },
          allow: { type: 'number' },
        },
      },
    ])
    expect(paid).toEqual([250])
    expect(structuredContent).toMatchObject({
      decisions: [{ outcome: 'granted', via: 'mcp', at: expect.stringMatching(/^\d{4}-.*Z$/) as string }],
    })
    await ask('80', (structuredContent as { conversationId: string }).conversationId)
    expect([shown.length, paid]).toEqual([1, [250, 80]])
    await client.close()
  })
})

test('by A2A, a task says how its approval was decided, by which channel and when', async () => {
  const { url, beach } = await payer(startA2aAgent)
  const client = await a2aClient(url)
  const asked = await send(client, says('300'))
  expect(asked.metadata).not.toHaveProperty('decisions')
  const approvalId = approvalIn(asked)
  const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
  await beach.sessions.decide(approvalId, { decision: 'denied', via: 'smtp' }, operator)
  await expect
    .poll(async () => (await getTask(client, asked.id)).metadata?.decisions)
    .toEqual([
      { approvalId, outcome: 'denied', by: 'operator', via: 'smtp', at: expect.stringMatching(/Z$/) as string },
    ])
})
