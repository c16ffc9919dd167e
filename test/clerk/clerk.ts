import { createBeach } from '@cool-ai/beach'
import { email, type EmailChannelOptions } from '@cool-ai/beach-email'
import { defineTool, llmActor, type LlmActorConfig } from '@cool-ai/beach-llm'
import { z } from 'zod'

interface ClerkSettings extends Pick<LlmActorConfig, 'model'> {
  readonly mail: EmailChannelOptions
  readonly travelUrl: string
  readonly pay: (invoice: string) => Promise<string>
}

/** A clerk that pays invoices once they are approved, is written to by mail, and asks the travel agent. */
export function clerk({ model, mail, travelUrl, pay }: ClerkSettings) {
  const payInvoice = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.string() }),
    requiresApproval: true,
    handler: ({ invoice }) => pay(invoice),
  })
  return createBeach({
    agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.', capabilities: [] },
    data: 'memory',
    actors: { clerk: llmActor({ model, instructions: 'You pay invoices.', tools: [payInvoice] }) },
    peers: { travel: { url: travelUrl } },
    channels: [email(mail)],
  })
}
