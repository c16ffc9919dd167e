import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { AgentCard, Role, TaskState, type Artifact, type Message, type Part as A2aPart, type Task } from '@a2a-js/sdk'
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server'
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { readAgentCard, type ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'
import express from 'express'
import type { TestContext } from 'vitest'

/** What one execution of the agent has to work with. */
export interface Execution {
  readonly text: string
  readonly message: Message
  readonly task: Task | undefined
  readonly taskId: string
  readonly contextId: string
  readonly headers: Readonly<Record<string, unknown>>
  /** Aborts when the task is cancelled. */
  readonly signal: AbortSignal
  begin(state?: TaskState): void
  status(state: TaskState, parts?: A2aPart[], metadata?: Record<string, unknown>): void
  artifact(
    id: string,
    parts: A2aPart[],
    how?: { append?: boolean; lastChunk?: boolean; metadata?: Record<string, unknown> },
  ): void
  say(parts: A2aPart[]): void
}

export interface StockAgent {
  readonly url: string
  readonly port: number
  readonly executions: Execution[]
  readonly cancelled: string[]
  /** Every A2A method that was called, in order. */
  readonly methods: string[]
  card(more?: CardOptions): ReadAgentCard
}

interface CardOptions {
  readonly binding?: 'JSONRPC' | 'HTTP+JSON'
  readonly version?: string
  readonly streaming?: boolean
  readonly url?: string
  /** Parameters of the Beach extension; without them it is a plain A2A agent. */
  readonly beach?: Record<string, unknown>
}

export const text = (value: string, metadata?: Record<string, unknown>): A2aPart => ({
  content: { $case: 'text', value },
  metadata,
  filename: '',
  mediaType: '',
})

export const data = (value: unknown, metadata?: Record<string, unknown>): A2aPart => ({
  content: { $case: 'data', value },
  metadata,
  filename: '',
  mediaType: '',
})

/** An agent built with the SDK as it comes, on a loopback port, for one test. */
export async function stockAgent(
  test: TestContext,
  run: (execution: Execution) => Promise<void> | void,
  onCall: (method: string) => void = () => {},
): Promise<StockAgent> {
  const executions: Execution[] = []
  const cancelled: string[] = []
  const methods: string[] = []
  const running = new Map<string, AbortController>()
  const app = express()
  const server = createServer(app)
  const port = await listen(test, server)
  const url = `http://127.0.0.1:${port}`
  const served = cardOf(url, {})
  const all = [
    ['JSONRPC', '1.0', '/rpc'],
    ['JSONRPC', '0.3', '/rpc'],
    ['HTTP+JSON', '1.0', '/rest'],
    ['HTTP+JSON', '0.3', '/rest'],
  ].map(([protocolBinding, protocolVersion, path]) => ({ protocolBinding, protocolVersion, url: `${url}${path}` }))
  const handler = new DefaultRequestHandler(
    AgentCard.fromJSON({ ...(AgentCard.toJSON(served) as object), supportedInterfaces: all }),
    new InMemoryTaskStore(),
    {
      async execute(context, bus) {
        const ended = new AbortController()
        running.set(context.taskId, ended)
        const execution = executionOf(context, bus, ended.signal)
        executions.push(execution)
        await run(execution)
        bus.finished()
      },
      async cancelTask(taskId, bus) {
        cancelled.push(taskId)
        bus.publish(AgentEvent.statusUpdate(statusEvent(taskId, '', TaskState.TASK_STATE_CANCELED)))
        running.get(taskId)?.abort()
        bus.finished()
      },
    },
  )
  const options = {
    requestHandler: handler,
    userBuilder: UserBuilder.noAuthentication,
    legacyCompat: { enabled: true },
  }
  app.use(express.json({ limit: '10mb' }))
  app.use((request, _, next) => {
    const body = request.body as { method?: string } | undefined
    const method = body?.method ?? `${request.method} ${request.path}`
    methods.push(method)
    onCall(method)
    next()
  })
  app.use('/rpc', jsonRpcHandler(options))
  app.use('/rest', restHandler(options))
  return {
    url,
    port,
    executions,
    cancelled,
    methods,
    card: (more = {}) => readCard(more.url ?? url, more),
  }
}

/** The card of an agent at this address. */
export function readCard(url: string, options: CardOptions = {}): ReadAgentCard {
  return readAgentCard(AgentCard.toJSON(cardOf(url, options)))
}

function cardOf(
  base: string,
  { binding = 'JSONRPC', version = '1.0', streaming = true, beach }: CardOptions,
): AgentCard {
  const url = `${base}${binding === 'JSONRPC' ? '/rpc' : '/rest'}`
  const extension = { uri: 'https://beach.cool-ai.io/extensions/v1', description: '', required: false, params: beach }
  return AgentCard.fromJSON({
    name: 'Stock',
    description: 'Answers as its test wants it.',
    version: '1.0.0',
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version }],
    capabilities: { streaming, ...(beach && { extensions: [extension] }) },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'talk', name: 'Talk', description: 'Talks.', tags: ['talk'] }],
  })
}

function statusEvent(taskId: string, contextId: string, state: TaskState, message?: Message, metadata?: object) {
  const status = { state, message, timestamp: '2026-01-01T00:00:00.000Z' }
  return { taskId, contextId, status, metadata: metadata as Record<string, unknown> | undefined }
}

let messages = 0

function executionOf(context: RequestContext, bus: ExecutionEventBus, signal: AbortSignal): Execution {
  const { taskId, contextId, userMessage: message, task } = context
  const spoken = (parts: A2aPart[], metadata?: Record<string, unknown>): Message => ({
    messageId: `m${++messages}`,
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  })
  return {
    text: message.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
    message,
    task,
    taskId,
    contextId,
    headers: (context.context.state.get('headers') ?? {}) as Record<string, unknown>,
    signal,
    begin(state = TaskState.TASK_STATE_SUBMITTED) {
      const status = { state, message: undefined, timestamp: undefined }
      const { artifacts = [], history = [] } = task ?? {}
      const begun = { id: taskId, contextId, status, artifacts, history, metadata: undefined }
      bus.publish(AgentEvent.task(begun))
    },
    status(state, parts, metadata) {
      const said = parts === undefined ? undefined : spoken(parts, metadata)
      bus.publish(AgentEvent.statusUpdate(statusEvent(taskId, contextId, state, said)))
    },
    artifact(artifactId, parts, { append = false, lastChunk = false, metadata } = {}) {
      const artifact: Artifact = {
        artifactId,
        name: '',
        description: '',
        parts,
        metadata,
        extensions: [],
      }
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }))
    },
    say: (parts) => bus.publish(AgentEvent.message(spoken(parts))),
  }
}

/** A server on a loopback port that ends with the test. */
export async function listen(test: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
