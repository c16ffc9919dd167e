import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBeach, defineActor, serve, type ActorContext, type Beach, type BeachOptions } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { silentLogger, systemRuntime, type AuthoredPart, type Envelope, type Store } from '@cool-ai/beach-core'
import { webhookChannel, type Hooks, type WebhookChannelOptions } from '@cool-ai/beach-hooks'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { onTestFinished } from 'vitest'
import { mergeOptions } from '../support/merge-options.ts'

export const runtime = systemRuntime({ logger: silentLogger })
export const secret = new Uint8Array(32).fill(7)

/** A secret of Standard Webhooks that is easy to tell from others. */
export function whsec(fill: number): string {
  return `whsec_${Buffer.alloc(32, fill).toString('base64')}`
}

/** A store that one process after the other can use. */
export class LastingStore extends MemoryStore {
  override async close(): Promise<void> {}
}

export interface WebhookAgent {
  readonly url: string
  readonly beach: Beach
  readonly stop: () => Promise<void>
}

export interface WebhookAgentOptions extends Partial<Omit<WebhookChannelOptions, 'hooks'>> {
  readonly hooks: Hooks
  readonly actor?: (turn: ActorContext) => Promise<void>
  readonly store?: Store
  readonly port?: number
  readonly beach?: Partial<BeachOptions>
}

/** An agent with hooks, on a port of its own; callbacks reach nothing but loopback origins that are given. */
export async function startAgent(options: WebhookAgentOptions): Promise<WebhookAgent> {
  const { actor = echo, port = 0, beach: more = {}, ...rest } = options
  const store = options.store ?? new LastingStore({ runtime })
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'hooked', name: 'Hooked' },
        actors: { main: defineActor(actor) },
        data: { store, secret },
        runtime,
        turns: { leaseMs: 1_000 },
        channels: [webhookChannel({ runtime, secret, ...rest, store })],
      },
      more,
    ),
  )
  const serving = await serve(beach, { port })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= serving.close())
  onTestFinished(stop)
  return { url: serving.url, beach, stop }
}

/** A fetch for callbacks to servers of this test. */
export function fetchTo(...allow: readonly string[]): typeof fetch {
  const guarded = guardedFetch({ allow })
  onTestFinished(() => guarded.close())
  return guarded
}

export const echo = async ({ text, respond }: ActorContext): Promise<void> => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text.trim()}` }], turnState: 'complete' })
}

/** The text of a payload as a message. */
export function textParts(payload: unknown): readonly AuthoredPart[] {
  const { text } = payload as { text: string }
  return [{ partType: 'message', text }]
}

export interface Signed {
  readonly id?: string
  readonly secrets?: readonly string[]
  readonly at?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers by the Standard Webhooks scheme, written down here a second time. */
export function standardHeaders(body: string, { id = 'msg_1', secrets = [whsec(1)], at = Date.now() }: Signed = {}) {
  const timestamp = Math.floor(at / 1_000)
  const signatures = secrets.map((text) => {
    const key = Buffer.from(text.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

/** Posts a payload that is signed by the Standard Webhooks scheme. */
export async function post(url: string, payload: unknown, signed: Signed = {}): Promise<Response> {
  const body = JSON.stringify(payload)
  // A connection of its own: a process that is ended closes resting ones, also one that is being used again just then.
  const headers = { ...standardHeaders(body, signed), connection: 'close', ...signed.headers }
  return fetch(url, { method: 'POST', headers, body })
}

export function texts(envelope: unknown): string[] {
  return (envelope as Envelope).parts.flatMap(({ text }) => text ?? [])
}

/** A receiver of callbacks. */
export interface Receiver {
  readonly origin: string
  readonly url: string
  readonly received: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[]
  /** How it answers; 200 unless it is changed. */
  answer: (response: ServerResponse) => void
  count(max: number): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      receiver.received.push({ path: request.url ?? '', headers: request.headers, body })
      receiver.answer(response)
      for (const resolve of waiting.splice(0)) resolve()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const receiver: Receiver = {
    origin,
    url: `${origin}/callback`,
    received: [],
    answer: (response) => response.end(),
    async count(max) {
      while (receiver.received.length < max) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
  return receiver
}

/** Asks a status URL until it says something else than that it works. */
export async function settled(url: string): Promise<{ status: string; envelope: Envelope; approvals?: string[] }> {
  for (;;) {
    const response = await fetch(url)
    const body = (await response.json()) as { status: string; envelope: Envelope }
    if (response.status !== 200 || body.status !== 'working') return body
    await new Promise((resolve) => setImmediate(resolve))
  }
}
