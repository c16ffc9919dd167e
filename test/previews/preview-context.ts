import { createBeach, defineActor, serve, type ActorContext, type Beach, type BeachOptions } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import type { Principal } from '@cool-ai/beach-core'
import { principalKey, type PreviewItem } from '@cool-ai/beach-core/ports'
import { emailChannel, emailOriginator } from '@cool-ai/beach-email'
import { smsChannel, smsOriginator, whatsAppChannel, whatsAppOriginator } from '@cool-ai/beach-phones'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { postOffice } from '@cool-ai/beach-testing/mail'
import { TwilioStandIn } from '@cool-ai/beach-testing/sms'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { freePort } from '../support/free-port.ts'
import {
  echo,
  LastingStore,
  movableClock,
  operator,
  phoneFiles,
  quickPush,
  secret,
  until,
} from '../support/phone-context.ts'
import { mergeOptions } from '../support/merge-options.ts'

export const anna = { address: 'anna@people.example', phone: '4915100000001', sms: '+4915100000001' }

export interface Preview {
  readonly transport: string
  readonly label: string
  readonly deliveryClass: string
  readonly isConfigured: boolean
  readonly items: readonly PreviewItem[]
  readonly note?: string
}

export type PreviewContext = Awaited<ReturnType<typeof previewContext>>

/** An agent that answers in every way: with data, a file, sources, a question, a request, or not yet. */
function answers(files: ReturnType<typeof phoneFiles>, released: Promise<void>) {
  return defineActor(async ({ text, respond, tool }: ActorContext) => {
    const asked = text.trim()
    if (asked === 'where') {
      const metadata = { options: ['Gatwick', 'Heathrow', 'Luton', 'London City Airport'] }
      return respond({ parts: [{ partType: 'clarify', text: 'From **where**?', metadata }], turnState: 'clarifying' })
    }
    if (asked === 'book') {
      const call = { name: 'book', args: { flight: 'BA 2043', price: 187 }, requiresApproval: true }
      const { outcome } = await tool(call, async () => 'ok')
      return respond({ parts: [{ partType: 'response', text: `booked: ${outcome}` }], turnState: 'complete' })
    }
    if (asked === 'link') {
      const file = { partType: 'artifact' as const, data: { url: 'https://files.example/2026/a%20report.pdf' } }
      return respond({ parts: [{ partType: 'response', text: 'Here.' }, file], turnState: 'complete' })
    }
    if (asked.startsWith('tell ')) {
      return respond({ parts: [{ partType: 'response', text: asked.slice('tell '.length) }], turnState: 'complete' })
    }
    if (asked === 'wait') await released
    await respond({ parts: [{ partType: 'ack', text: 'I look.' }], turnState: 'awaiting' })
    const about = { name: 'corfu.pdf', mimeType: 'application/pdf', tenant: 'default' }
    const { artifactId, mimeType, sizeBytes, name } = await files.artifacts.put(Buffer.from('%PDF-1.4'), about)
    const flights = [{ flight: 'BA 2043', price: 187 }]
    return respond({
      parts: [
        { partType: 'response', text: '# Flights\n“Two” of them – **BA 2043** is [direct](https://ba.example/x).' },
        { partType: 'domain-data', data: { flights }, metadata: { kind: 'flights' } },
        { partType: 'citation', data: { path: '/flights/0', title: 'BA', url: 'https://ba.example/' } },
        { partType: 'artifact', data: { artifactId, mimeType, sizeBytes, name } },
        { partType: 'reasoning-trace', text: 'A secret of the model.' },
      ],
      turnState: 'complete',
    })
  })
}

/** All channels at once, each with a real server or a stand-in on its other side. */
export async function previewContext(options: Pick<BeachOptions, 'access'> = {}) {
  const clock = movableClock()
  const { runtime } = clock
  const whatsApp = new WhatsAppStandIn(clock.now)
  const twilio = new TwilioStandIn(clock.now)
  const [office] = await Promise.all([postOffice(), whatsApp.server.listen(), twilio.server.listen()])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const store = new LastingStore({ runtime })
  const files = phoneFiles(clock)
  const guarded = guardedFetch({ allow: [whatsApp.server.origin, twilio.server.origin] })
  const shared = { store, secret, runtime, ...files, push: quickPush, publicUrl: 'https://agent.example' }
  const phone = { ...shared, fetch: (address: string, init: RequestInit) => guarded(address, init) }
  const translations: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const channels = [
    emailChannel({ ...shared, address: 'agent@corp.example', name: 'Sally', outbound: office.outbound }),
    whatsAppChannel({ ...phone, ...whatsApp.account }),
    smsChannel({ ...phone, ...twilio.account, countries: 'all' }),
  ]
  const beach = await createBeach(
    mergeOptions(
      {
        agent: {
          schemaVersion: '1.0',
          id: 'sally',
          name: 'Sally',
          description: 'Finds flights.',
          version: '1.0.0',
          capabilities: [{ id: 'flights', description: 'Finds flights.' }],
        },
        actors: { main: answers(files, released) },
        turns: {
          translator: new LlmContextTranslator({
            model: {
              async generate({ text }) {
                translations.push(text)
                return 'One direct flight; nothing to compare.'
              },
            },
          }),
          leaseMs: 1_000,
        },
        data: { store, secret, artifacts: files.artifacts },
        runtime,
        channels,
        access: {
          authenticators: [
            async ({ headers }) => {
              return headers.get('x-operator') === 'yes'
                ? { principal: operator, credential: { type: 'test' } }
                : undefined
            },
          ],
        },
        publicUrl: url,
      },
      options,
    ),
  )
  const serving = await serve(beach, { port })
  whatsApp.webhook = `${url}/channels/whatsapp`
  twilio.agent = url
  onTestFinished(async () => {
    release()
    await serving.close()
    await guarded.close()
    await Promise.all([office.close(), whatsApp.close(), twilio.server.close()])
  })
  return { url, beach, store, files, office, whatsApp, twilio, translations, release, clock }
}

/** An agent without any channel but those that every agent has, and without A2A and MCP. */
export async function plainContext() {
  const { runtime } = movableClock()
  const beach = await createBeach({
    agent: { id: 'sally', name: 'Sally' },
    actors: { main: defineActor(echo) },
    data: { store: new LastingStore({ runtime }), secret },
    runtime,
    protocols: { mcp: false },
  })
  const serving = await serve(beach, { port: 0 })
  onTestFinished(() => serving.close())
  return { url: serving.url, beach }
}

const opened = z.object({ sessionId: z.string(), token: z.string() })

/** A user in a browser. */
export class Visitor {
  readonly session: string
  readonly token: string
  readonly #url: string

  static async open(url: string): Promise<Visitor> {
    const { sessionId, token } = opened.parse(await (await fetch(`${url}/sessions`, { method: 'POST' })).json())
    return new Visitor(url, sessionId, token)
  }

  private constructor(url: string, session: string, token: string) {
    this.#url = url
    this.session = session
    this.token = token
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }

  async say(text: string): Promise<void> {
    const headers = { ...this.headers, 'content-type': 'application/json' }
    const body = JSON.stringify({ text })
    await fetch(`${this.#url}/sessions/${this.session}/messages`, { method: 'POST', headers, body })
  }

  previews(turnId: string, session = this.session): Promise<Response> {
    return fetch(`${this.#url}/sessions/${session}/turns/${turnId}/previews`, { headers: this.headers })
  }

  /** The previews of a turn by their transports. */
  async previewed(turnId: string, session?: string): Promise<ReadonlyMap<string, Preview>> {
    const response = await this.previews(turnId, session)
    const { previews } = (await response.json()) as { previews: readonly Preview[] }
    return new Map(previews.map((preview) => [preview.transport, preview]))
  }
}

/** Who a session belongs to. */
async function ownerOf(beach: Beach, session: string): Promise<Principal> {
  const { owner } = await beach.sessions.view(session, operator)
  if (owner === undefined) throw new Error('The session has no owner.')
  return owner
}

/** Has everything of a session go to Anna's mailbox and phone too; she has written on WhatsApp before. */
export async function joinAnna({ beach, whatsApp }: PreviewContext, session: string): Promise<void> {
  await whatsApp.text({ phone: anna.phone }, 'where')
  await until(() => whatsApp.of({ phone: anna.phone }).length === 1)
  const principal = await ownerOf(beach, session)
  await beach.sessions.join(session, emailOriginator({ address: anna.address, principal }), principal)
  await beach.sessions.join(session, whatsAppOriginator({ phone: `+${anna.phone}`, principal }), principal)
  await beach.sessions.join(session, smsOriginator({ phone: anna.sms, principal }), principal)
}

/** The last turn of a session, once it has settled or waits for a decision. */
export async function turnAtRest({ beach }: { readonly beach: Beach }, session: string): Promise<string> {
  const principal = await ownerOf(beach, session)
  const to = { id: `test:${principalKey(principal)}`, transport: 'sse', deliveryClass: 'streaming', principal } as const
  const stop = new AbortController()
  try {
    for await (const frame of beach.sessions.follow(session, to, undefined, stop.signal)) {
      if (frame.kind === 'settled') return frame.turnId
      if (frame.kind === 'turn' && frame.turnState === 'suspended') return frame.turnId
    }
  } finally {
    stop.abort()
  }
  throw new Error('The turn did not come to rest.')
}
