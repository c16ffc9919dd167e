import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { emailChannel } from '@cool-ai/beach-email'
import { approvalReply, standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { domains } from '@cool-ai/beach-testing/mail'
import { hookSecret } from './hook-secret.ts'

// One process of an agent that several processes run. Its tools ask the test's gate, so that the test decides when.
const { PORT, STORE = '', PUBLIC_URL, GATE = '', GRACE_MS = '25000', LEASE_MS = '10000' } = process.env
const { IMAP_PORT, OUTBOUND_PORT, GUESTS_PER_MINUTE = '1000' } = process.env

async function passed(name: string, signal: AbortSignal): Promise<string> {
  return (await fetch(`${GATE}/${encodeURIComponent(name)}`, { signal })).text()
}

/** One word, and the rest once the gate is open. */
async function* spoken(text: string, signal: AbortSignal): AsyncGenerator<string> {
  yield 'Once '
  yield await passed(`${text} rest`, signal)
}

const clerk = defineActor(async ({ text, tool, respond, signal }) => {
  const said = (answer: string | AsyncIterable<string>) =>
    respond({ parts: [{ partType: 'response', text: answer }], turnState: 'complete' })
  if (text.startsWith('tell')) return said(spoken(text, signal))
  if (text.startsWith('pay')) {
    const paid = await tool({ name: 'pay', args: { text }, requiresApproval: true }, async () => 'paid')
    return said(`${text}: ${paid.outcome}`)
  }
  if (text.startsWith('wait')) {
    const waited = await tool({ name: 'wait', args: { text }, idempotent: true }, (run) => passed(text, run.signal))
    return said(`${text}: ${waited.outcome === 'ok' ? waited.value : waited.outcome}`)
  }
  return said(`You said: ${text}`)
})

const { store, secret, ...data } = await openData({ store: STORE, agent: 'replica' })
const hooks = webhooks({
  hooks: {
    desk: {
      verify: standardWebhooks({ secrets: [hookSecret] }),
      session: (payload) => (payload as { thread?: string }).thread,
      parts: (payload) => approvalReply(payload) ?? [{ partType: 'message', text: (payload as { text: string }).text }],
    },
  },
})
const mail =
  IMAP_PORT === undefined
    ? []
    : [
        emailChannel({
          address: 'agent@corp.example',
          name: 'Replica',
          store,
          secret,
          guests: true,
          dns: domains().dns,
          outbound: { host: '127.0.0.1', port: Number(OUTBOUND_PORT) },
          imap: {
            host: '127.0.0.1',
            port: Number(IMAP_PORT),
            secure: false,
            auth: { user: 'testuser', pass: 'testpass' },
          },
          push: { firstDelayMs: 20, maxDelayMs: 100, attempts: 1_000 },
        }),
      ]
await serve(
  () =>
    createBeach({
      agent: { id: 'replica', name: 'Replica', description: 'Runs on several processes.' },
      actors: { clerk },
      publicUrl: PUBLIC_URL,
      store,
      secret,
      ...data,
      channels: [hooks, ...mail],
      mcp: { tasks: { afterMs: 1 } },
      limits: { guestSessionsPerMinute: Number(GUESTS_PER_MINUTE) },
      leaseMs: Number(LEASE_MS),
    }),
  { port: Number(PORT), stopGraceMs: Number(GRACE_MS) },
)
