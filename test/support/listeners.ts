import { setTimeout as wait } from 'node:timers/promises'
import type { Client as A2aClient } from '@a2a-js/sdk/client'
import type { Beach, BeachOptions } from '@cool-ai/beach'
import type { ArtifactStore, Part, SessionView } from '@cool-ai/beach-core'
import { email, type EmailChannel } from '@cool-ai/beach-email'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import {
  answerTo,
  deliver,
  domains,
  postOffice,
  written,
  type Delivered,
  type Domains,
  type PostOffice,
} from '@cool-ai/beach-testing/mail'
import { onTestFinished, type TestContext } from 'vitest'
import { data as dataPart, request, runtime, says, startAgent, stockClient } from '../a2a/agent.ts'
import { StockAgent } from '../agui/agent.ts'
import { connect } from '../mcp/support.ts'
import { callerCard, type CallerCardServer } from './caller-card.ts'
import { readEvents } from './server-events.ts'
import { openSocket } from './socket.ts'
import { mergeOptions } from './merge-options.ts'

const agentAddress = 'agent@corp.example'

/** An agent that createBeach builds, reachable by all its channels, with a mail server on its other side. */
export interface Reachable {
  readonly test: TestContext
  readonly url: string
  readonly beach: Beach
  readonly mail: { readonly office: PostOffice; readonly domains: Domains; readonly channel: EmailChannel }
  /** The Agent Card of the A2A caller, which says what it consumes. */
  readonly peer: CallerCardServer
  readonly artifacts: ArtifactStore
  /** The turn that has not settled, in the only session. */
  openTurn(): Promise<SessionView['turn']>
  /** Everything in the log of the only session. */
  logged(): Promise<string>
}

/** Starts an agent for one test, with mail; the card of its A2A caller says that it consumes these. */
export async function reachable(
  test: TestContext,
  options: Partial<BeachOptions>,
  consumes: readonly string[] = ['llm-context', 'a2ui-surface'],
): Promise<Reachable> {
  const [office, known, peer] = [await postOffice(), domains(), await callerCard(consumes)]
  known.add('home.example')
  onTestFinished(() => office.close())
  const channel = email({
    address: agentAddress,
    outbound: office.outbound,
    // The documents leave it to the consumer whether mail has data as a file, or not at all.
    data: 'json',
    smtp: { host: '127.0.0.1', port: 0 },
    dns: known.dns,
  })
  const { callerCards } = peer
  const artifacts = new MemoryArtifactStore({ runtime })
  const store = new MemoryStore({ runtime })
  const { url, beach } = await startAgent(
    mergeOptions({ channels: [channel], data: { artifacts, store }, access: { callerCards } }, options),
  )
  /** The session with something in it: opening one is all that a listener by SSE does at first. */
  const session = async () => {
    const { items } = await beach.sessions.list({}, operator)
    if (items[0] === undefined || items.length > 1) throw new Error(`There are ${items.length} sessions.`)
    return items[0].sessionId
  }
  return {
    test,
    url,
    beach,
    mail: { office, domains: known, channel },
    peer,
    artifacts,
    openTurn: async () => (await beach.sessions.view(await session(), operator)).turn,
    logged: async () => JSON.stringify(await store.read(await session(), 0)),
  }
}

const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const

/** What one listener hears of one message of its own. */
export class Received {
  /** Frames, events, mails or results as they came. */
  readonly all: unknown[] = []
  /** Sends the decision of an approval as this channel has it. */
  decide: (approvalId: string, decision: 'granted' | 'denied') => Promise<void> = async () => {}
  #waiting: (() => void)[] = []
  #isOver = false
  #failure: unknown

  get text(): string {
    return JSON.stringify(this.all)
  }

  has(marker: string): boolean {
    return this.text.includes(marker)
  }

  push(value: unknown): void {
    this.all.push(value)
    this.#wake()
  }

  end(failure?: unknown): void {
    this.#isOver = true
    this.#failure = failure
    this.#wake()
  }

  /** Waits until it was heard; a listener to which nothing more comes fails. */
  async until(marker: string): Promise<void> {
    while (!this.has(marker)) {
      if (this.#isOver) throw new Error(`'${marker}' did not come: ${this.text}`, { cause: this.#failure })
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Waits until nothing more comes by itself. */
  async over(): Promise<void> {
    while (!this.#isOver) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (this.#failure !== undefined) throw this.#failure
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }
}

/** Says something to the agent by a channel, and hears what comes of it by the same one. */
export type Listen = (agent: Reachable, text: string) => Promise<Received>

const json = { 'content-type': 'application/json' }
const responsePart = (approvalId: string, decision: string): Part => ({
  data: { approvalId, decision, decidedAt: '2026-01-01T00:00:00Z' },
  metadata: { partType: 'approval-response' },
})

/** Opens a session, as a page does. */
export async function newSession(url: string) {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await response.json()) as { sessionId: string; token: string }
  const headers = { ...json, authorization: `Bearer ${token}` }
  return { sessionId, token, path: `${url}/sessions/${sessionId}`, headers }
}

/** Follows a session by server-sent events until a turn has settled. */
export function followed(
  { path, headers }: { path: string; headers: Record<string, string> },
  received = new Received(),
) {
  return receiving(received, async () => {
    for await (const { event, data } of readEvents(`${path}/events`, headers)) {
      received.push({ event, ...(data as object) })
      if (event === 'settled') return
    }
  })
}

/** What comes into a mailbox. */
export function mailbox(
  { mail: { office } }: Pick<Reachable, 'mail'>,
  address: string,
  received = new Received(),
): Received {
  const end = new AbortController()
  onTestFinished(() => end.abort())
  return receiving(received, async () => {
    for (let seen = 0; !end.signal.aborted;) {
      const inbox = office.inbox(address)
      while (seen < inbox.length) received.push(readable(inbox[seen++] as Delivered))
      await wait(5)
    }
  })
}

/** Runs what hears in the background; its failure is the listener's. */
function receiving(received: Received, run: () => Promise<void>): Received {
  run().then(
    () => received.end(),
    (error: unknown) => received.end(error),
  )
  return received
}

const sse: Listen = async ({ url }, text) => {
  const { path, headers } = await newSession(url)
  const post = (body: object) =>
    fetch(`${path}/messages`, { method: 'POST', headers, body: JSON.stringify(body) }).then(() => {})
  const received = new Received()
  received.decide = (approvalId, decision) => post({ parts: [responsePart(approvalId, decision)] })
  await post({ text })
  return followed({ path, headers }, received)
}

const webSocket: Listen = async ({ url, test }, text) => {
  const { path, headers } = await newSession(url)
  const socket = openSocket(test, `${path}/ws`, { headers })
  await socket.ready()
  const received = new Received()
  received.decide = async (approvalId, decision) => {
    await socket.ask({ type: 'send', parts: [responsePart(approvalId, decision)] })
  }
  await socket.ask({ type: 'send', text })
  return receiving(received, async () => {
    for (let seen = 0; ; seen++) {
      await socket.until(() => socket.frames.length > seen)
      const frame = socket.frames[seen]
      received.push(frame)
      if (frame?.kind === 'settled') return
    }
  })
}

interface TaskPlace {
  readonly taskId?: string
  readonly contextId?: string
}

/** Where the task is that A2A told of last. */
function taskOf(received: Received): TaskPlace {
  const [, taskId = ''] = /"(?:taskId|id)":"([^"]+\.\d+)"/.exec(received.text) ?? []
  const [, contextId = ''] = /"contextId":"([^"]+)"/.exec(received.text) ?? []
  return { taskId, contextId }
}

function decidesByA2a(received: Received, client: A2aClient): Received['decide'] {
  return async (approvalId, decision) => {
    const { data } = responsePart(approvalId, decision)
    received.push(
      await client.sendMessage(
        request(says('', { ...taskOf(received), parts: [dataPart(data, 'approval-response')] })),
      ),
    )
  }
}

const a2aStream: Listen = async ({ url, peer }, text) => {
  const client = await stockClient(url)
  const received = new Received()
  received.decide = decidesByA2a(received, client)
  return receiving(received, async () => {
    for await (const event of client.sendMessageStream(request(says(text, { metadata: { ...peer.metadata } })))) {
      received.push(event)
    }
  })
}

const a2a: Listen = async ({ url, peer }, text) => {
  const client = await stockClient(url)
  const received = new Received()
  received.decide = decidesByA2a(received, client)
  // The form of document 001's table: a single message at settlement.
  const metadata = { ...peer.metadata, [`${BEACH_EXTENSION_URI}/answer`]: 'message' }
  return receiving(received, async () => received.push(await client.sendMessage(request(says(text, { metadata })))))
}

const mcp: Listen = async ({ url }, text) => {
  const client = await connect(new URL('/mcp', url), 'modern')
  const [tool = '', resume = ''] = (await client.listTools()).tools.map(({ name }) => name)
  const received = new Received()
  received.decide = async (approvalId, decision) => {
    const [, conversationId] = /"conversationId":"([^"]+)"/.exec(received.text) ?? []
    const parts = [responsePart(approvalId, decision)]
    received.push(await client.callTool({ name: resume, arguments: { conversationId, parts } }))
  }
  return receiving(received, async () =>
    received.push(await client.callTool({ name: tool, arguments: { message: text } })),
  )
}

const agui: Listen = async ({ url }, text) => {
  const client = new StockAgent({ url, threadId: `thread-${crypto.randomUUID()}` })
  const received = new Received()
  client.agent.subscribe({ onEvent: ({ event }) => received.push(event) })
  return receiving(received, async () => {
    await client.say(text)
  })
}

let people = 0

/** A mail as its reader sees it. */
const readable = ({ email: { subject, text, attachments } }: Delivered) => ({
  subject,
  text,
  attachments: attachments.map(({ filename, mimeType, content }) => ({
    filename,
    mimeType,
    content: typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8'),
  })),
})

const smtp: Listen = async ({ mail }, text) => {
  const { office, domains: known, channel } = mail
  const address = `anna${++people}@home.example`
  let count = 0
  const write = async (letter: { readonly text: string; readonly to?: string; readonly subject?: string }) => {
    const raw = await written({
      from: address,
      to: agentAddress,
      subject: 'Hello',
      messageId: `<${people}.${++count}@home.example>`,
      ...letter,
    })
    await deliver(channel.smtpPort() ?? 0, await known.sign(raw, 'home.example'), {
      from: address,
      to: [letter.to ?? agentAddress],
    })
  }
  const received = new Received()
  received.decide = async (_, decision) => {
    const asked = office.inbox(address).at(-1)
    if (asked === undefined) throw new Error('No mail has asked for an approval.')
    await write(answerTo(asked, decision === 'granted' ? 'yes' : 'no'))
  }
  await write({ text })
  return mailbox({ mail }, address, received)
}

/** The streaming channels of document 001's table. */
export const streaming = { SSE: sse, WebSocket: webSocket, 'A2A (streaming)': a2aStream } as const
/** The buffered ones. */
export const buffered = { 'A2A (non-streaming)': a2a, mail: smtp, MCP: mcp } as const
/** AG-UI, which the documents do not have in their table; it streams. */
export const byAgui: Listen = agui
