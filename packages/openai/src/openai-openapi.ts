import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const object = { type: 'object' }
const errors = { description: 'An error in the shape of OpenAI.', json: object }
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
}

/** The routes for clients of OpenAI in an agent's OpenAPI document. */
export function openAiOpenApi(): OpenApiPart {
  return describeRoutes('OpenAI', routes)
}
