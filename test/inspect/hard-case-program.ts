import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { email, emailOriginator } from '@cool-ai/beach-email'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { hookSecret } from '../replicas/hook-secret.ts'

// One process of an agent that researches. What takes long asks the test's gate, so that the test decides when it ends.
const { PORT, BEACH_DATA, GATE = '', CALLBACK = '', OPERATOR_TOKEN = '' } = process.env
const { OUTBOUND_PORT, IMAP_PORT, MAIL_FRONT } = process.env

async function passed(name: string, signal: AbortSignal): Promise<string> {
  return (await fetch(`${GATE}/${name}`, { signal })).text()
}

const researcher = defineActor(
  async ({ manifest, tool, respond }) => {
    const read = (what: string) => ({ work: 'read', args: what, slotKey: what })
    const slots = { flights: read('flights'), hotels: read('hotels'), weather: read('weather') }
    const research = await manifest({ name: 'Corfu in August', slots })
    const held = await tool({ name: 'hold_price', args: { flight: 'BA 2043' } }, ({ signal }) => passed('hold', signal))
    await research.settled()
    const approval = { title: 'Book BA 2043 to Corfu for £187.00' }
    const call = { name: 'book', args: { flight: 'BA 2043' }, requiresApproval: true, approval }
    const booked = await tool(call, async () => 'ET-4521')
    const text = `The hold is ${held.outcome}, the booking ${booked.outcome === 'ok' ? booked.value : booked.outcome}.`
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  },
  {
    works: {
      read: {
        idempotent: true,
        run: async (what, { signal }) => (what === 'weather' ? passed('weather', signal) : `${String(what)} are fine`),
      },
    },
  },
)

const hooks = webhooks({
  hooks: {
    desk: {
      verify: standardWebhooks({ secrets: [hookSecret] }),
      parts: (payload) => [{ partType: 'message', text: (payload as { text: string }).text }],
      callback: { url: CALLBACK, secrets: [hookSecret] },
    },
  },
  fetch: (url, init) => fetch(url, init),
  push: { delaysMs: [20, 40] },
})
const mail = email({
  address: 'agent@corp.example',
  outbound: { host: '127.0.0.1', port: Number(OUTBOUND_PORT) },
  imap: {
    host: '127.0.0.1',
    port: Number(IMAP_PORT),
    secure: false,
    auth: { user: 'testuser', pass: 'testpass' },
    authservId: MAIL_FRONT,
  },
})
const manager = emailOriginator({
  address: 'manager@office.example',
  principal: { kind: 'user', id: 'manager', tenant: 'default' },
})
await serve(
  () =>
    createBeach({
      agent: { id: 'researcher', name: 'Researcher' },
      actors: { researcher },
      data: BEACH_DATA,
      channels: [hooks, mail],
      approvals: { followUps: [{ afterMs: 1, to: manager }] },
      turns: { leaseMs: 2_000 },
      inspect: { operators: { olga: OPERATOR_TOKEN } },
    }),
  { port: Number(PORT) },
)
