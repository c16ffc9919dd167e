import { createBeach, type Beach, type BeachOptions } from '@cool-ai/beach'
import { apiKeyAuth, hashApiKey, newApiKey } from '@cool-ai/beach-channel/auth'
import type { Channel, Principal } from '@cool-ai/beach-core'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { script, type ScriptStep } from '@cool-ai/beach-testing/model'
import { onTestFinished, vi } from 'vitest'
import { z } from 'zod'

export const keys = {
  operator: newApiKey(),
  reader: newApiKey(),
  unscoped: newApiKey(),
  foreign: newApiKey(),
  user: newApiKey(),
  peer: newApiKey(),
}

const scopes = ['inspect', 'inspect:act']

const authenticators = [
  apiKeyAuth({
    header: 'x-api-key',
    keys: [
      { hash: hashApiKey(keys.operator), id: 'olga', tenant: 'default', kind: 'operator', scopes },
      { hash: hashApiKey(keys.reader), id: 'rita', tenant: 'default', kind: 'operator', scopes: ['inspect'] },
      { hash: hashApiKey(keys.unscoped), id: 'otto', tenant: 'default', kind: 'operator' },
      { hash: hashApiKey(keys.foreign), id: 'fred', tenant: 'elsewhere', kind: 'operator', scopes },
      { hash: hashApiKey(keys.user), id: 'anna', tenant: 'default', kind: 'user', scopes },
      { hash: hashApiKey(keys.peer), id: 'peer', tenant: 'default', kind: 'peer', scopes },
    ],
  }),
]

// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into answers of many shapes.
export type Loose = any

const anna: Principal = { kind: 'user', id: 'anna', tenant: 'default' }

/** A channel that pushes; what it is told to refuse becomes a dead letter. */
function postChannel() {
  const box = { refuses: false, sent: 0 }
  const channel: Channel = {
    transport: 'post',
    deliveryClass: 'buffered',
    start: async () => {},
    async send() {
      if (box.refuses) return { status: 'refused', reason: 'The box is full.' }
      box.sent++
      return { status: 'sent', externalId: 'p1' }
    },
  }
  return { box, channel }
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  inputSchema: z.object({ amount: z.number() }),
  requiresApproval: true,
  approval: ({ amount }) => ({ title: `Pay £${amount}`, risk: 'high', details: { Payee: 'Acme' } }),
  handler: ({ amount }) => ({ paid: amount, token: 'tok-do-not-show' }),
})

const look = defineTool({
  name: 'look_up',
  description: 'Looks up a price.',
  inputSchema: z.object({ what: z.string() }),
  handler: ({ what }) => ({ what, price: 12 }),
})

/** A clerk: "pay 5" asks for an approval, "price of tea" calls a tool, everything else is answered at once. */
const clerk: ScriptStep = ({ text, prompt }) => {
  if (prompt.at(-1)?.role === 'tool') return 'Done.'
  if (text.startsWith('pay ')) return { tools: [{ name: 'pay', args: { amount: Number(text.slice(4)) } }] }
  if (text.startsWith('price of ')) return { tools: [{ name: 'look_up', args: { what: text.slice(9) } }] }
  return `You said: ${text}.`
}

/** The clerk, who speaks without a model of a provider. */
export function clerkActor() {
  const steps = Array.from({ length: 200 }, () => clerk)
  return llmActor({
    model: script(...steps),
    instructions: 'You are a clerk.',
    tools: [pay, look],
    prices: { input: 3, output: 15 },
  })
}

/** An agent with the inspector on, on a port of its own. */
export async function inspected(options: Partial<BeachOptions> = {}) {
  const { box, channel } = postChannel()
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { clerk: clerkActor() },
    inspect: true,
    channels: [channel],
    ...options,
    access: { authenticators, ...options.access },
  })
  const { url } = await beach.listen({ port: 0, signals: false })
  onTestFinished(() => beach.close())
  const ask = async (
    path: string,
    key: string = keys.operator,
    init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) => {
    const response = await fetch(`${url}/inspect/api/${path}`, {
      ...init,
      headers: { 'x-api-key': key, ...init.headers },
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) }
  }
  const act = (path: string, body?: unknown, key?: string) =>
    ask(path, key, {
      method: 'POST',
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  return { beach, url, box, ask, act, talk: (by?: Principal) => talkTo(beach, by) }
}

function jsonOf(text: string): Loose {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A session of a principal, who is reached by the push channel too. */
async function talkTo(beach: Beach, by: Principal = anna) {
  const from = { id: `web:${by.id}`, transport: 'sse', deliveryClass: 'streaming', principal: by } as const
  const post = { id: `post:${by.id}`, transport: 'post', deliveryClass: 'buffered', principal: by } as const
  const id = await beach.sessions.open({ principal: by })
  await beach.sessions.join(
    id,
    { ...post, address: 'https://x.example/hook?secret=abc', details: { key: 'tok-do-not-show' } },
    by,
  )
  const settled = () =>
    vi.waitFor(async () => {
      const { turn, waiting } = await beach.sessions.view(id, by)
      if (waiting > 0 || (turn !== undefined && turn.turnState !== 'suspended')) throw new Error('still running')
    }, 10_000)
  const say = async (text: string) => {
    await beach.sessions.post(id, { parts: [{ text, metadata: { partType: 'message' } }], from }, by)
    await settled()
  }
  return { id, say, settled }
}
