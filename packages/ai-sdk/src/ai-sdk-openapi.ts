import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const object = { type: 'object' }
const stream = { description: 'A UI message stream of the AI SDK.', type: 'text/event-stream' }

const routes: Readonly<Record<string, RouteDescription>> = {
  'POST /chat': {
    summary: 'What a page of the AI SDK says, decides or has run, and the answer',
    access: 'caller',
    body: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, messages: { type: 'array' } } },
    answers: { 200: stream },
  },
  'GET /chat/:id': {
    summary: 'The messages of a conversation, in the form of `useChat`',
    access: 'caller',
    answers: { 200: { description: 'The messages.', json: object } },
  },
  'GET /chat/:id/stream': {
    summary: 'The running answer of a conversation, from its beginning',
    access: 'caller',
    answers: { 200: stream, 204: { description: 'No answer is running.' } },
  },
  'POST /chat/:id/stop': {
    summary: 'Cancels what runs in a conversation',
    access: 'caller',
    answers: { 202: { description: 'Whether there was something to cancel.', json: object } },
  },
}

/** The routes for pages of the AI SDK in an agent's OpenAPI document. */
export function aiSdkOpenApi(): OpenApiPart {
  return describeRoutes('AI SDK', routes)
}
