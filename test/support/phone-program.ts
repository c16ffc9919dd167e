import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { smsChannel, whatsAppChannel } from '@cool-ai/beach-phones'

/** An agent on WhatsApp and SMS, as a process of its own that can be killed; the stand-ins are where its environment says. */
const { PORT, BEACH_DATA = '', WHATSAPP = '', TWILIO = '', SETTINGS = '{}' } = process.env
const settings = JSON.parse(SETTINGS) as Record<string, string>
const { store, secret, artifacts } = await openData({ folder: BEACH_DATA })
const guarded = guardedFetch({ allow: [new URL(WHATSAPP).origin, new URL(TWILIO).origin] })
const push = { attempts: 50, firstDelayMs: 10, maxDelayMs: 100 }
const common = { store, secret, artifacts, push, fetch: (url: string, init: RequestInit) => guarded(url, init) }

const booker = defineActor(async ({ respond, tool }) => {
  const call = { name: 'book', args: { flight: 'BA 2043' }, requiresApproval: true, idempotent: true }
  const { outcome } = await tool(call, async () => 'booked')
  await respond({ parts: [{ partType: 'response', text: `booked: ${outcome}` }], turnState: 'complete' })
})

const beach = await createBeach({
  agent: { id: 'sally', name: 'Sally' },
  actors: { main: booker },
  data: { store, secret },
  turns: { leaseMs: 500 },
  channels: [
    whatsAppChannel({
      ...common,
      phoneNumberId: settings.phoneNumberId ?? '',
      accessToken: settings.accessToken ?? '',
      appSecrets: [settings.appSecret ?? ''],
      verifyToken: settings.verifyToken ?? '',
      graphUrl: WHATSAPP,
    }),
    smsChannel({
      countries: ['DE'],
      ...common,
      accountSid: settings.accountSid ?? '',
      authTokens: [settings.authToken ?? ''],
      from: settings.number ?? '',
      publicUrl: 'https://agent.example',
      apiUrl: TWILIO,
    }),
  ],
})
await serve(beach, { port: Number(PORT) })
