import { createSlackAdapter } from '@chat-adapter/slack'
import { chatChannel } from '@cool-ai/beach-chat'
import type { Channel } from '@cool-ai/beach-core'
import { email } from '@cool-ai/beach-email'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { sms, whatsApp } from '@cool-ai/beach-phones'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

/** A channel of each kind that users add, to nowhere. */
export const everyChannel = (): Channel[] => [
  email({ address: 'clerk@example.com', outbound: { host: '127.0.0.1', port: 25 }, smtp: { port: 0 } }),
  whatsApp({ phoneNumberId: '1', accessToken: 't', appSecrets: ['a'.repeat(32)], verifyToken: 'a long word' }),
  sms({
    accountSid: `AC${'1'.repeat(32)}`,
    authTokens: ['a'.repeat(32)],
    from: '+447700900000',
    countries: ['GB'],
  }),
  webhooks({ hooks: { desk: { verify: standardWebhooks({ secrets: [secret] }), parts: () => [] } } }),
  chatChannel({
    adapters: {
      slack: createSlackAdapter({
        apiUrl: 'http://127.0.0.1:9/',
        botToken: 'xoxb-1',
        signingSecret: 'secret-1',
        botUserId: 'U1',
      }),
    },
  }),
]
