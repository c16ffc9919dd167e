import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { email } from '@cool-ai/beach-email'
import { cron, standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { sms } from '@cool-ai/beach-phones'
import { whsec } from '../webhook/webhook-context.ts'

// An agent with every kind of channel. Node lets it write no file.
const nowhere = { host: '127.0.0.1', port: 1, secure: false }
const says = (text: string) => [{ partType: 'message', text }]
const beach = await createBeach({
  agent: { id: 'keeper', name: 'Keeper', description: 'Keeps everything.' },
  data: process.env.BEACH_STORE,
  actors: {
    main: defineActor(async ({ text, respond }) => {
      await respond({ parts: [{ partType: 'response', text: `kept: ${text}` }], turnState: 'complete' })
    }),
  },
  publicUrl: 'http://127.0.0.1',
  channels: [
    email({
      address: 'keeper@example.com',
      outbound: nowhere,
      imap: { ...nowhere, auth: { user: 'keeper', pass: 'x' } },
    }),
    sms({ accountSid: `AC${'0'.repeat(32)}`, authTokens: ['x'.repeat(32)], from: '+15005550006' }),
    webhooks({
      hooks: { talk: { verify: standardWebhooks({ secrets: [whsec(1)] }), parts: () => says('by webhook') } },
    }),
    cron({ jobs: { minutely: { cron: '* * * * *', session: 'new', parts: () => says('by cron') } } }),
  ],
})
const { url } = await serve(beach, { port: 0 })
console.log(`listening ${url}`)
