import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import type { Store } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { secretsIn } from '@cool-ai/beach-core/tokens'
import { approvalReply, standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { setTimeout as wait } from 'node:timers/promises'
import { plantedBugs } from '../simulation/planted-bugs.ts'
import { onSlowRenewal } from './renewals.ts'
import { hookSecret, leaseMs, wordsOf, type Ask } from './script.ts'
import { onStall, type Stall } from './stalls.ts'

// One process of the agent that chaos runs: its tools write to the ledger, its deliveries go there.
const {
  PORT,
  BEACH_DATA: folder = '',
  BEACH_SECRET = '',
  CHAOS_URL,
  CHAOS_STORE = '',
  CHAOS_LEDGER = '',
  CHAOS_BUG,
} = process.env

const clerk = defineActor(async ({ text, tool, respond }) => {
  const [name = '', ask = ''] = text.split(' ')
  const run = (more: { readonly idempotent?: boolean; readonly requiresApproval?: boolean }) =>
    tool({ name: ask, args: { name }, ...more }, async ({ key, signal }) => {
      const body = JSON.stringify({ name, ask: text, key, process: process.pid })
      const response = await fetch(`${CHAOS_LEDGER}/runs`, { method: 'POST', body, signal })
      return response.text()
    })
  const said = (answer: string | AsyncIterable<string>) =>
    respond({ parts: [{ partType: 'response', text: answer }], turnState: 'complete' })
  switch (ask as Ask) {
    case 'look':
      await respond({ parts: [{ partType: 'ack', text: `${text}: one moment` }], turnState: 'awaiting' })
      await run({ idempotent: true })
      return said(spoken(wordsOf(text)))
    case 'post':
      return said(`${text}: ${(await run({})).outcome}`)
    case 'pay':
      return said(`${text}: ${(await run({ requiresApproval: true })).outcome}`)
  }
})

async function* spoken(words: readonly string[]): AsyncGenerator<string> {
  for (const word of words) {
    yield word
    await wait(15)
  }
}

async function openStore(): Promise<{ readonly store: Store; readonly secret: readonly Uint8Array[] }> {
  if (CHAOS_STORE === 'sqlite') return openData({ folder })
  const database = await PostgresDatabase.open({ url: CHAOS_STORE })
  return { store: await PostgresStore.open({ database }), secret: secretsIn(BEACH_SECRET) }
}

function tellStall(stall: Stall): void {
  const body = JSON.stringify({ ...stall, process: process.pid })
  void fetch(`${CHAOS_LEDGER}/stalls`, { method: 'POST', body }).catch(() => {})
}

onStall(tellStall)
const { store: opened, ...data } = await openStore()
const plant = CHAOS_BUG === undefined ? undefined : plantedBugs[CHAOS_BUG]
const store = plant?.(opened) ?? opened
onSlowRenewal(store, tellStall)
const many = 1_000_000
/** Deliveries go to the ledger, which is told which process has sent them. */
function send(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('x-chaos-process', String(process.pid))
  return fetch(url, { ...init, headers })
}
const hooks = webhooks({
  hooks: {
    desk: {
      verify: standardWebhooks({ secrets: [hookSecret] }),
      session: (payload) => (payload as { thread?: string }).thread,
      parts: (payload) => approvalReply(payload) ?? [{ partType: 'message', text: (payload as { text: string }).text }],
      callback: {
        url: (payload) => `${CHAOS_LEDGER}/callbacks/${(payload as { thread?: string }).thread}`,
        secrets: [hookSecret],
      },
    },
  },
  fetch: send,
  push: { delaysMs: Array.from({ length: 30 }, () => 200) },
})
await serve(
  () =>
    createBeach({
      agent: { id: 'chaos', name: 'Chaos', description: 'Does what it is told, once.' },
      actors: { clerk },
      publicUrl: CHAOS_URL,
      data: { ...data, store },
      channels: [hooks],
      protocols: { mcp: { tasks: { afterMs: 1 } }, a2a: { fetch: send } },
      access: { limits: { guestSessionsPerMinute: many, sessionsPerMinute: many, guestStreamsPerNetwork: many } },
      turns: { leaseMs },
    }),
  { port: Number(PORT) },
)
