import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { text as textOf } from 'node:stream/consumers'
import { PartTypeRegistry, silentLogger, systemRuntime, TurnStateRegistry, type Channel } from '@cool-ai/beach-core'
import {
  channelContext,
  channelContract,
  type ChannelHarness,
  type ContractActor,
} from '@cool-ai/beach-testing/contracts'
import { defineActor, SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { pager } from './pager-channel.ts'

const tenant = 'acme'
const key = 'the key'
const numbers: Readonly<Record<string, string>> = { anna: '111', berta: '222', marker: '333', eve: '666' }

/** The gateway of the example: a real server, and people with pagers. */
async function harness(): Promise<ChannelHarness & { close(): Promise<void> }> {
  const runtime = systemRuntime({ logger: silentLogger })
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  let state: 'working' | 'out-of-order' | 'refusing' = 'working'
  const pages = new Map<string, { to: string; text: string }>()
  const attempts: string[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const mark = String(request.headers['idempotency-key'])
      const body = JSON.parse(await textOf(request)) as { to: string; text: string }
      attempts.push(mark)
      if (state === 'working' && !pages.has(mark)) pages.set(mark, body)
      response.writeHead(state === 'working' ? 200 : state === 'refusing' ? 400 : 503).end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pages`
  const push = { attempts: 1_000, firstDelayMs: 5, maxDelayMs: 20 }
  const channel: Channel = { ...pager({ gateway, key }), push }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = async (body: string, more: object = {}) => {
    const url = 'http://agent.example/pager'
    const response = await channel.fetch?.(new Request(url, { method: 'POST', headers: { ...headers, ...more }, body }))
    if (response?.ok !== true) throw new Error(`It was answered ${response?.status}.`)
  }
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    'a body that is no JSON': () => post('{{{'),
    'a caller without the key': () => post('{}', { authorization: 'Bearer x' }),
    'a prototype in its JSON': () => post('{"__proto__":{"polluted":1},"id":"x","from":"666","text":"hi"}'),
  }
  return {
    tenant,
    async start(actor: ContractActor) {
      const actors = { actor: defineActor(actor) }
      const turnStates = TurnStateRegistry.canonical()
      const sessions = new SessionTurnManager({ store, runtime, partTypes, turnStates, actors, channels: [channel] })
      const ending = new AbortController()
      await channel.start(channelContext({ sessions, store, runtime, partTypes, tenant, signal: ending.signal }))
      sessions.start()
      const stop = async () => {
        ending.abort()
        await sessions.stop()
      }
      return { sessions, stop }
    },
    say: ({ person, text, id }) => post(JSON.stringify({ id, from: numbers[person], text })),
    sayTooMuch: (person) => post(JSON.stringify({ id: 'large', from: numbers[person], text: 'x'.repeat(2_000_000) })),
    attack: async (name) => attacks[name]?.(),
    received: (person) =>
      [...pages].filter(([, { to }]) => to === numbers[person]).map(([mark, { text }]) => ({ mark, text })),
    attempts: () => attempts,
    receiver: (next) => {
      state = next
    },
    async until(condition) {
      const end = performance.now() + 30_000
      while (!(await condition())) {
        if (performance.now() > end) throw new Error(`It did not happen: ${condition.toString()}`)
        await wait(5)
      }
    },
    async close() {
      await store.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('the channel of the documentation', () => {
  const attacks = ['a body that is no JSON', 'a caller without the key', 'a prototype in its JSON']
  const contract = channelContract({ threads: false, pushes: true, approvals: false, attacks })

  test.each(contract.map((promise) => [promise.name, promise] as const))('%s', async (_, promise) => {
    const there = await harness()
    try {
      await promise.run(there)
    } finally {
      await there.close()
    }
  })

  test('is the one that the documentation shows', () => {
    const document = readFileSync(new URL('../../docs/channels.md', import.meta.url), 'utf8')
    const shown = /```ts\n(import \{ started[\s\S]*?)```/.exec(document)?.[1]
    expect(shown).toBe(readFileSync(new URL('pager-channel.ts', import.meta.url), 'utf8'))
  })
})
