import { AgentCard, Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client'
import { createBeach, defineActor, serve, type Beach, type BeachOptions } from '@cool-ai/beach'
import { apiKeyAuth, hashApiKey, newApiKey, type KnownCaller } from '@cool-ai/beach-channel/auth'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { onTestFinished } from 'vitest'

export const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)

/** An agent on a port of its own. */
export interface RunningAgent {
  readonly url: string
  readonly beach: Beach
  /** Stops it as a process would stop; its store is closed. */
  stop(): Promise<void>
}

export type AgentOptions = Partial<BeachOptions> & { readonly port?: number }

/** Starts an agent for one test, with an open A2A endpoint unless `a2a.auth` says otherwise. */
export async function startAgent(options: AgentOptions = {}): Promise<RunningAgent> {
  const { port = 0, ...given } = options
  const make = (publicUrl: string) =>
    createBeach({
      agent: { id: 'tester', name: 'Tester' },
      actors: { echo },
      store: new MemoryStore({ runtime }),
      secret,
      runtime,
      publicUrl,
      leaseMs: 1_000,
      card: {
        schemaVersion: '1.0',
        id: 'tester',
        name: 'Tester',
        description: 'Says what it is told.',
        version: '1.0.0',
        capabilities: [{ id: 'echo', description: 'Says it again.' }],
      },
      ...given,
    })
  const serving = await serve(make, { port })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= serving.close())
  onTestFinished(stop)
  const { url, beach } = serving
  return { url, beach, stop }
}

/** The bindings and versions in which the stock client speaks. */
export const ways = ['JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3'] as const
export type Way = (typeof ways)[number]

/** The stock SDK's client for an agent; with a token, or with headers, it authenticates. */
export async function stockClient(
  url: string,
  way: Way = 'JSONRPC 1.0',
  credential?: string | Readonly<Record<string, string>>,
  fetching: typeof fetch = fetch,
): Promise<Client> {
  const [binding, version] = way.split(' ')
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    const given = typeof credential === 'string' ? { authorization: `Bearer ${credential}` } : (credential ?? {})
    for (const [name, value] of Object.entries(given)) headers.set(name, value)
    return fetching(input, { ...init, headers })
  }
  const legacyCompat = { enabled: version === '0.3' }
  const card = await new DefaultAgentCardResolver({ legacyCompat }).resolve(url)
  const chosen = card.supportedInterfaces.filter(
    ({ protocolBinding, protocolVersion }) => protocolBinding === binding && protocolVersion === version,
  )
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
      new RestTransportFactory({ fetchImpl, legacyCompat }),
    ],
  })
  return factory.createFromAgentCard(
    AgentCard.fromJSON({ ...(AgentCard.toJSON(card) as object), supportedInterfaces: chosen }),
  )
}

/** A name for a context that no caller guesses, as callers without a credential need it. */
export function ownContext(name: string): string {
  return `${name}-5f1c9a3e-7b2d-4c68-9e0f-a1d2c3b4e5f6`
}

/** The stock SDK's client of a user with a token: its tasks are in sessions that it may ask for by their ids. */
export async function knownClient(url: string, way?: Way): Promise<Client> {
  return stockClient(url, way, await newToken(url))
}

/** The session of the only task that an agent has, which callers that began it without a credential do not know. */
export async function onlySession({ sessions }: Beach): Promise<string> {
  const { items } = await sessions.list({}, { kind: 'operator', id: 'olga', tenant: 'default' })
  if (items[0] === undefined || items.length > 1) throw new Error(`There are ${items.length} sessions.`)
  return items[0].sessionId
}

/** A bearer token of a new principal, from the agent itself. */
export async function newToken(url: string): Promise<string> {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  return ((await response.json()) as { token: string }).token
}

/** An API key of a caller, with the authenticator that knows it. */
export function apiKey(header: string, who: Partial<KnownCaller> = {}) {
  const key = newApiKey()
  const known = { id: 'baxter', tenant: 'default', ...who, hash: hashApiKey(key) }
  return { headers: { [header]: key }, authenticate: apiKeyAuth({ header, keys: [known] }) }
}

/** A text as a message of A2A. */
export function says(text: string, more: Partial<Message> = {}): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  }
}

/** A data part with a part type of ours. */
export function data(value: unknown, partType?: string): Message['parts'][number] {
  const metadata = partType === undefined ? undefined : { partType }
  return { content: { $case: 'data', value }, metadata, filename: '', mediaType: '' }
}

type Request = Parameters<Client['sendMessage']>[0]

/** A request to send a message. */
export function request(message: Message, configuration: Partial<Request['configuration']> = {}): Request {
  return {
    tenant: '',
    message,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
    metadata: undefined,
  }
}

/** Sends a message and gives the task that it becomes. */
export async function send(client: Client, message: Message, configuration?: Partial<Request['configuration']>) {
  const result = await client.sendMessage(request(message, configuration))
  if ('messageId' in result) throw new Error('A message came instead of a task.')
  return result
}

export function getTask(client: Client, id: string, historyLength?: number): Promise<Task> {
  return client.getTask({ id, tenant: '', historyLength })
}

/** The texts of a task's answer, which are artifacts. */
export function answerOf({ artifacts }: Task): string[] {
  return artifacts.flatMap(({ parts }) => partTextsOf(parts))
}

/** The texts of a message, such as a task's question. */
export function textsOf(message: Message | undefined): string[] {
  return partTextsOf(message?.parts ?? [])
}

function partTextsOf(parts: Message['parts']): string[] {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
}

export function stateOf(task: Task): string {
  return nameOf(task.status?.state)
}

function nameOf(state: TaskState | undefined): string {
  return String(TaskState[state ?? 0]).replace('TASK_STATE_', '')
}

/** The approval that a task waits for. */
export function approvalIn(task: Task): string {
  const found = task.status?.message?.parts.find(({ content }) => content?.$case === 'data')
  const { approvalId } = (found?.content?.value ?? {}) as { approvalId?: string }
  if (approvalId === undefined) throw new Error('The task asks for no approval.')
  return approvalId
}

/** A stream's events, each by its kind. */
export async function collect(
  stream: AsyncIterable<StreamResponse>,
): Promise<NonNullable<StreamResponse['payload']>[]> {
  const events: NonNullable<StreamResponse['payload']>[] = []
  for await (const { payload } of stream) if (payload !== undefined) events.push(payload)
  return events
}

type StreamPayload = NonNullable<StreamResponse['payload']>

/** What a reader has in the end who applies artifact updates as A2A says: by id, replacing or appending parts. */
export function foldArtifacts(events: readonly StreamPayload[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const event of events) {
    if (event.$case === 'task') {
      for (const artifact of event.value.artifacts) texts.set(artifact.artifactId, partTexts(artifact.parts))
    }
    if (event.$case !== 'artifactUpdate' || event.value.artifact === undefined) continue
    const { artifactId, parts } = event.value.artifact
    const before = event.value.append ? (texts.get(artifactId) ?? '') : ''
    texts.set(artifactId, before + partTexts(parts))
  }
  return texts
}

function partTexts(parts: Message['parts']): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
}

/** The states that a stream's status updates, and its first task, say. */
export function statesIn(events: readonly StreamPayload[]): string[] {
  return events.flatMap((event) => {
    if (event.$case === 'task') return [stateOf(event.value)]
    return event.$case === 'statusUpdate' ? [nameOf(event.value.status?.state)] : []
  })
}

/** Says it again, in pieces. */
const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: pieces(['You said ', text]) }], turnState: 'complete' })
})

async function* pieces(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** Something that a test opens when it wants others to go on. */
export class Gate {
  readonly opened: Promise<void>
  open: () => void = () => {}

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve))
  }
}
