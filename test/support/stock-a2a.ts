import { AgentCard, Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client'

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
