import { inContext, started, type AgentContext } from '@cool-ai/beach-channel'
import type { Channel, Route } from '@cool-ai/beach-core'
import { ChatCompletions } from './chat/chat-completions.ts'
import { Desk, type OpenAiChannelOptions } from './desk.ts'
import { ModelsApi } from './models.ts'
import { AskedRequests } from './requests/asked.ts'

export type { OpenAiChannelOptions } from './desk.ts'

/** The way in for clients of OpenAI: the agent is a model to them. */
export function openAiChannel(options: OpenAiChannelOptions = {}): Channel {
  let server: ReturnType<typeof serverOf> | undefined
  const models = () => started(server).models
  const chat = () => started(server).chat
  const routes: Route[] = [
    { method: 'GET', path: '/v1/models', answer: (request) => models().list(request) },
    { method: 'GET', path: '/v1/models/:id', answer: (request, { id = '' }) => models().get(request, id) },
    { method: 'POST', path: '/v1/chat/completions', answer: (request) => chat().create(request) },
  ]
  return {
    transport: 'openai',
    deliveryClass: 'streaming',
    routes,
    openapi: async () => (await import('./openai-openapi.ts')).openAiOpenApi(),
    preview: async (turn) => (await import('./openai-preview.ts')).openAiPreview(turn, started(server).partTypes),
    async start(context: AgentContext) {
      server = serverOf(options, context)
    },
  }
}

function serverOf(options: OpenAiChannelOptions, context: AgentContext) {
  const desk = new Desk(inContext(options, context))
  const requests = new AskedRequests(desk.options)
  return { partTypes: desk.options.partTypes, models: new ModelsApi(desk), chat: new ChatCompletions(desk, requests) }
}
