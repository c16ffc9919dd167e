import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const object = { type: 'object' }
const errors = { description: 'An error in the shape of OpenAI.', json: object }
const list = { description: 'The list.', json: object }
const known = { access: 'caller', errors } as const

const routes: Readonly<Record<string, RouteDescription>> = {
  'GET /v1/models': {
    summary: 'The agent, as a list of models',
    ...known,
    answers: { 200: { description: 'The list.', json: object } },
  },
  'GET /v1/models/:id': {
    summary: 'The agent, as a model',
    ...known,
    answers: { 200: { description: 'The model.', json: object } },
  },
  'POST /v1/chat/completions': {
    summary: 'A chat completion of OpenAI, also as a stream',
    ...known,
    body: {
      type: 'object',
      required: ['model', 'messages'],
      properties: { model: { type: 'string' }, messages: { type: 'array' }, stream: { type: 'boolean' } },
    },
    answers: { 200: { description: 'The completion, or its chunks.', json: object, type: 'text/event-stream' } },
  },
  'POST /v1/responses': {
    summary: 'A response of OpenAI, also as a stream or in the background',
    ...known,
    body: {
      type: 'object',
      required: ['model', 'input'],
      properties: {
        model: { type: 'string' },
        input: {},
        previous_response_id: { type: 'string' },
        stream: { type: 'boolean' },
      },
    },
    answers: { 200: { description: 'The response, or its events.', json: object, type: 'text/event-stream' } },
  },
  'GET /v1/responses/:id': {
    summary: 'A response as it stands, or its events',
    ...known,
    query: { stream: '`true` for events', starting_after: 'the `sequence_number` after which events are wanted' },
    answers: { 200: { description: 'The response, or its events.', json: object, type: 'text/event-stream' } },
  },
  'DELETE /v1/responses/:id': {
    summary: 'Forgets a response',
    ...known,
    answers: { 200: { description: 'Forgotten.', json: object } },
  },
  'POST /v1/responses/:id/cancel': {
    summary: 'Cancels what runs for a response',
    ...known,
    answers: { 200: { description: 'The response.', json: object } },
  },
  'GET /v1/responses/:id/input_items': { summary: 'What a response answers', ...known, answers: { 200: list } },
  'POST /v1/conversations': {
    summary: 'Begins a conversation',
    ...known,
    body: object,
    answers: { 200: { description: 'The conversation.', json: object } },
  },
  'GET /v1/conversations/:id': {
    summary: 'A conversation',
    ...known,
    answers: { 200: { description: 'The conversation.', json: object } },
  },
  'DELETE /v1/conversations/:id': {
    summary: 'Forgets a conversation',
    ...known,
    answers: { 200: { description: 'Forgotten.', json: object } },
  },
  'GET /v1/conversations/:id/items': {
    summary: 'What was said in a conversation',
    ...known,
    query: { after: 'an item', limit: 'as many', order: '`asc` or `desc`' },
    answers: { 200: list },
  },
}

/** The routes for clients of OpenAI in an agent's OpenAPI document. */
export function openAiOpenApi(): OpenApiPart {
  return describeRoutes('OpenAI', routes)
}
