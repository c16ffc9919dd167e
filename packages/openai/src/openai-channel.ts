import { inContext, started, type AgentContext } from '@cool-ai/beach-channel'
import type { Channel, Route } from '@cool-ai/beach-core'
import { ChatCompletions } from './chat/chat-completions.ts'
import { Desk, type OpenAiChannelOptions } from './desk.ts'
import { ModelsApi } from './models.ts'
import { AskedRequests } from './requests/asked.ts'
import { ChatTips } from './requests/history.ts'
import { Conversations } from './responses/conversations.ts'
import { Responses } from './responses/responses.ts'

export type { OpenAiChannelOptions } from './desk.ts'

type Answer = (server: Server, request: Request, id: string) => Promise<Response>

const routes: readonly (readonly [Route['method'], string, Answer])[] = [
  ['GET', '/v1/models', ({ models }, request) => models.list(request)],
  ['GET', '/v1/models/:id', ({ models }, request, id) => models.get(request, id)],
  ['POST', '/v1/chat/completions', ({ chat }, request) => chat.create(request)],
  ['POST', '/v1/responses', ({ responses }, request) => responses.create(request)],
  ['GET', '/v1/responses/:id', ({ responses }, request, id) => responses.get(request, id)],
  ['DELETE', '/v1/responses/:id', ({ responses }, request, id) => responses.delete(request, id)],
  ['POST', '/v1/responses/:id/cancel', ({ responses }, request, id) => responses.cancel(request, id)],
  ['GET', '/v1/responses/:id/input_items', ({ responses }, request, id) => responses.inputItems(request, id)],
  ['POST', '/v1/conversations', ({ conversations }, request) => conversations.create(request)],
  ['GET', '/v1/conversations/:id', ({ conversations }, request, id) => conversations.get(request, id)],
  ['DELETE', '/v1/conversations/:id', ({ conversations }, request, id) => conversations.delete(request, id)],
  ['GET', '/v1/conversations/:id/items', ({ conversations }, request, id) => conversations.items(request, id)],
]

/** The way in for clients of OpenAI: the agent is a model to them. */
export function openAiChannel(options: OpenAiChannelOptions = {}): Channel {
  let server: Server | undefined
  return {
    transport: 'openai',
    deliveryClass: 'streaming',
    routes: routes.map(([method, path, answer]) => {
      return { method, path, answer: (request, { id = '' }) => answer(started(server), request, id) }
    }),
    openapi: async () => (await import('./openai-openapi.ts')).openAiOpenApi(),
    preview: async (turn) => (await import('./openai-preview.ts')).openAiPreview(turn, started(server).partTypes),
    async start(context: AgentContext) {
      server = serverOf(options, context)
    },
  }
}

type Server = ReturnType<typeof serverOf>

function serverOf(options: OpenAiChannelOptions, context: AgentContext) {
  const desk = new Desk(inContext(options, context))
  const requests = new AskedRequests(desk.options)
  const asking = { desk, requests, tips: new ChatTips(desk.options) }
  return {
    partTypes: desk.options.partTypes,
    models: new ModelsApi(desk),
    chat: new ChatCompletions(asking),
    responses: new Responses(asking),
    conversations: new Conversations(desk),
  }
}
