import { connect, type Socket } from 'node:net'
import { createBeach, defineActor, serve, type BeachOptions, type Serving } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { standardWebhooks, webhookChannel } from '@cool-ai/beach-hooks'
import { smsChannel, whatsAppChannel } from '@cool-ai/beach-phones'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { onTestFinished } from 'vitest'
import { mergeOptions } from '../support/merge-options.ts'

export const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)

const echo = defineActor(({ text, respond }) =>
  respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' }),
)

/** An agent with every endpoint that takes a body, on a port of its own. */
export async function startAgent(
  options: Partial<BeachOptions> = {},
  serving: { readonly requestMs?: number } = {},
): Promise<Serving> {
  const { runtime: own = runtime } = options
  const store = new MemoryStore({ runtime: own })
  const publicUrl = 'https://agent.example'
  const beach = await createBeach(
    mergeOptions(
      {
        agent: {
          schemaVersion: '1.0',
          id: 'tester',
          name: 'Tester',
          description: 'Says what it is told.',
          version: '1.0.0',
          capabilities: [],
        },
        actors: { echo },
        data: { store, secret },
        runtime: own,
        publicUrl,
        channels: [
          whatsAppChannel({
            store,
            secret,
            runtime: own,
            appSecrets: ['an-app-secret'],
            verifyToken: 'a-word-that-was-agreed-on',
            phoneNumberId: '1',
            accessToken: 'token',
          }),
          smsChannel({
            store,
            secret,
            runtime: own,
            publicUrl,
            accountSid: `AC${'0'.repeat(32)}`,
            authTokens: ['an-auth-token-of-twilio'],
            from: '+15005550006',
            help: 'Help.',
          }),
          webhookChannel({
            store,
            secret,
            runtime: own,
            publicUrl,
            hooks: {
              ci: {
                verify: standardWebhooks({ secrets: [`whsec_${Buffer.alloc(24, 1).toString('base64')}`] }),
                parts: () => [],
              },
            },
          }),
        ],
      },
      options,
    ),
  )
  const served = await serve(beach, { port: 0, ...serving })
  onTestFinished(() => served.close())
  return served
}

const json = { 'content-type': 'application/json' }

/** Every path that reads the body of an unidentified caller, with what a request there must have. */
export const endpointHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/sessions': json,
  '/join': json,
  '/a2a': { ...json, 'a2a-version': '1.0' },
  '/a2a/rest/message:send': { ...json, 'a2a-version': '1.0' },
  '/mcp': { ...json, accept: 'application/json, text/event-stream' },
  '/agui': json,
  '/channels/whatsapp': { ...json, 'x-hub-signature-256': `sha256=${'a'.repeat(64)}` },
  '/channels/sms': { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'x' },
  '/webhooks/ci': json,
}

/** A request that is sent by hand, as far as one likes. */
export interface RawRequest {
  readonly socket: Socket
  /** What has come back until the connection was closed. */
  readonly answer: Promise<string>
  readonly write: (bytes: string | Uint8Array) => Promise<void>
}

/** Sends the head of a request. */
export async function begin(url: string, head: string, headers: Readonly<Record<string, string>>): Promise<RawRequest> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const answer = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.once('close', () => resolve(text))
  })
  const write = (bytes: string | Uint8Array) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  const all = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  await write(`${head} HTTP/1.1\r\n${all.join('')}\r\n`)
  return { socket, answer, write }
}
