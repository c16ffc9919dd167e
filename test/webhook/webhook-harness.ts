import { createBeach, defineActor, serve } from '@cool-ai/beach'
import type { Envelope, Store } from '@cool-ai/beach-core'
import type { ChannelHarness, ReceivedMessage } from '@cool-ai/beach-core/contracts'
import { standardWebhooks, webhookChannel, type Hooks } from '@cool-ai/beach-hooks'
import { freePort } from '../support/free-port.ts'
import {
  fetchTo,
  LastingStore,
  post,
  runtime,
  secret,
  standardHeaders,
  startReceiver,
  textParts,
  whsec,
  type Receiver,
} from './webhook-context.ts'

interface Said {
  readonly person: string
  readonly text: string
  readonly thread: string
  readonly callback: string
}

const attacks: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'a payload without a signature': (url) => fetch(url, { method: 'POST', body: '{"text":"x"}' }),
  'a payload with a prototype': (url) => sent(url, '{"text":"x","__proto__":{"polluted":true}}'),
  'a payload that is nested 10000 deep': (url) => sent(url, '['.repeat(10_000) + ']'.repeat(10_000)),
  'a payload that is no JSON': (url) => sent(url, '\u0000{'),
  'a payload of something else': (url) => sent(url, '[1,2,3]'),
  'a thousand signatures': (url) =>
    fetch(url, {
      method: 'POST',
      headers: { ...standardHeaders('{}'), 'webhook-signature': 'v1,AAAA '.repeat(1_000) },
      body: '{}',
    }),
}

export const webhookAttacks = Object.keys(attacks)

function sent(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: standardHeaders(body, { id: 'attack' }), body })
}

/** Programs that send payloads and are called back, each at a path of its own. Each process opens the store. */
export async function webhookHarness(open?: () => Promise<Store>): Promise<ChannelHarness> {
  const lasting = new LastingStore({ runtime })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/webhooks/talk`
  const receiver = await startReceiver()
  const [allowing, refusing] = [fetchTo(receiver.origin), fetchTo()]
  let state: 'working' | 'out-of-order' | 'refusing' = 'working'
  const attempts: string[] = []
  const taken: Receiver['received'] = []
  receiver.answer = (response) => {
    const last = receiver.received.at(-1)
    if (state === 'working' && last !== undefined) taken.push(last)
    response.writeHead(state === 'working' ? 200 : 503).end()
  }
  const hooks: Hooks = {
    talk: {
      verify: standardWebhooks({ secrets: [whsec(1)] }),
      parts: textParts,
      session: (payload) => (payload as Said).thread,
      principal: (payload) => ({ kind: 'user', id: (payload as Said).person }),
      callback: { url: (payload) => (payload as Said).callback, secrets: [whsec(5)] },
    },
  }
  return {
    tenant: 'default',
    async start(actor) {
      const store = open === undefined ? lasting : await open()
      const channel = webhookChannel({
        runtime,
        store,
        secret,
        hooks,
        push: { delaysMs: Array.from({ length: 50 }, () => 5) },
        fetch: async (address, init) => {
          attempts.push(new Headers(init.headers).get('webhook-id') ?? '')
          return (state === 'refusing' ? refusing : allowing)(address, init)
        },
      })
      const beach = await createBeach({
        agent: { id: 'hooked', name: 'Hooked' },
        actors: { main: defineActor(actor) },
        data: { store, secret },
        runtime,
        turns: { leaseMs: 1_000 },
        channels: [channel],
      })
      const serving = await serve(beach, { port })
      return { sessions: beach.sessions, stop: () => serving.close() }
    },
    async say({ person, text, id, thread = 'usual' }) {
      const payload: Said = { person, text, thread, callback: `${receiver.origin}/${person}` }
      const response = await post(url, payload, { id: `${person}-${id}` })
      if (!response.ok) throw new Error(await response.text())
    },
    sayTooMuch: (person) => post(url, { person, thread: 'usual', text: 'too much '.repeat(200_000) }, { id: 'large' }),
    attack: async (name) => attacks[name]?.(url),
    received: (person) => taken.filter(({ path }) => path === `/${person}`).map(messageOf),
    attempts: () => attempts,
    receiver: (next) => {
      state = next
    },
    async until(condition) {
      while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

function messageOf({ headers, body }: Receiver['received'][number]): ReceivedMessage {
  const { parts, meta } = JSON.parse(body) as Envelope
  const text = parts.map((part) => part.text ?? JSON.stringify(part.data)).join('\n')
  return { text, mark: String(headers['webhook-id']), thread: meta.sessionId }
}
