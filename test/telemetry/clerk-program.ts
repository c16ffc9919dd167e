import { existsSync } from 'node:fs'
import { createBeach } from '@cool-ai/beach'
import { apiKeyAuth } from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { defineTool, llmActor, scriptedModel } from '@cool-ai/beach-llm'
import { z } from 'zod'

// A clerk with a tool, who takes messages by a webhook and answers by a callback.
const { PORT = '', BEACH_DATA: data = '', RECEIVER = 'http://127.0.0.1:9/', OPERATOR_HASH } = process.env

const answer = (text: string) => ({
  respond: { turnState: 'complete' as const, parts: [{ metadata: { partType: 'response' as const }, text }] },
})
const model = scriptedModel({
  rules: [
    { when: ({ results }) => results.size > 0, say: () => answer('Found it.') },
    { say: ({ text }) => ({ tools: [{ name: 'look_up', args: { name: text } }] }) },
  ],
})
const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks someone up.',
  inputSchema: z.object({ name: z.string() }),
  idempotent: true,
  async handler({ name }, { signal }) {
    // Until the process is killed.
    while (existsSync(`${data}/block`)) {
      signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return `${name} lives somewhere.`
  },
})
const clerk = llmActor({
  name: 'clerk',
  prompt: 'You look people up.',
  model,
  tools: [lookUp],
  prices: { input: 3, output: 15 },
})
const origin = new URL(RECEIVER).origin
const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`]

const beach = await createBeach({
  agent: { id: 'clerk', name: 'Clerk' },
  data,
  actors: { clerk },
  turns: { leaseMs: 1_000 },
  access: {
    authenticators:
      OPERATOR_HASH === undefined
        ? []
        : [
            apiKeyAuth({
              header: 'x-api-key',
              keys: [{ id: 'op', tenant: 'default', kind: 'operator', hash: OPERATOR_HASH }],
            }),
          ],
  },
  channels: [
    webhooks({
      hooks: {
        notes: {
          verify: standardWebhooks({ secrets }),
          parts: (payload) => [{ partType: 'message', text: (payload as { text: string }).text }],
          callback: { url: RECEIVER, secrets },
        },
      },
      fetch: guardedFetch({ allow: [origin] }),
    }),
  ],
})
await beach.listen({ port: Number(PORT) })
