import { defineTool } from '@cool-ai/beach-llm'
import { z } from 'zod'

/** What was paid; in your agent, a call to the bank. */
export const paid: string[] = []

/** A tool that needs an approval: the turn waits until an approver decides, also over a restart. */
export const pay = defineTool({
  name: 'pay',
  title: 'Pay an invoice',
  description: 'Pays an invoice.',
  inputSchema: z.object({
    invoice: z.string().meta({ title: 'Invoice' }),
    amount: z.number().positive().meta({ title: 'Amount' }),
  }),
  requiresApproval: true,
  approval: ({ invoice, amount }) => ({ title: `Pay invoice ${invoice}, €${amount}` }),
  handler: ({ invoice }) => {
    paid.push(invoice)
    return { paid: invoice }
  },
})
