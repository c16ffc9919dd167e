import { Role, TaskState, type AgentCard, type Message, type Task } from '@a2a-js/sdk'
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type RequestContext,
} from '@a2a-js/sdk/server'
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express from 'express'
import { answer } from './answer.ts'
import { control } from './control.ts'
import { providerLoop } from './provider-loop.ts'

const wordsOf = process.argv[2] === 'loop' ? providerLoop : answer

/** The same agent as ours, written as the SDK wants it: the task, a chunk of its artifact for each word, the end. */
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }: RequestContext, bus) {
    bus.publish(AgentEvent.task(taskOf(taskId, contextId, userMessage)))
    let whole = ''
    let append = false
    for await (const word of wordsOf(textOf(userMessage))) {
      whole += word
      const artifact = artifactOf(word)
      bus.publish(
        AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk: false, metadata: undefined }),
      )
      append = true
    }
    const message: Message = {
      messageId: crypto.randomUUID(),
      contextId,
      taskId,
      role: Role.ROLE_AGENT,
      parts: [partOf(whole)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    }
    const status = { state: TaskState.TASK_STATE_COMPLETED, message, timestamp: new Date().toISOString() }
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }))
    bus.finished()
  },
  async cancelTask() {},
}

function taskOf(id: string, contextId: string, message: Message): Task {
  const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: new Date().toISOString() }
  return { id, contextId, status, artifacts: [], history: [message], metadata: undefined }
}

function artifactOf(text: string) {
  return { artifactId: 'answer', name: '', description: '', parts: [partOf(text)], metadata: undefined, extensions: [] }
}

function partOf(text: string): Message['parts'][number] {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }
}

function textOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
}

const card: AgentCard = {
  name: 'Stock',
  description: 'Says words.',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/a2a', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
  ],
  provider: undefined,
  version: '1.0.0',
  capabilities: { streaming: true, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
}

const app = express()
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) control(`http://127.0.0.1:${address.port}`)
})
