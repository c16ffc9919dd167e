import { describeRoutes, type OpenApiPart } from '@cool-ai/beach-core/openapi'

const script = { description: 'A module, compressed.', type: 'text/javascript' }
const texts = { type: 'array', items: { type: 'string' } }

/** `<beach-chat>` in an agent's OpenAPI document. */
export function chatElementOpenApi(): OpenApiPart {
  return describeRoutes('Pages of other sites', {
    'GET /beach-chat.js': {
      summary: 'The script that defines the element `<beach-chat>`',
      access: 'open',
      answers: { 200: script, 304: { description: 'The browser has it (`If-None-Match`).' } },
    },
    'GET /beach-chat/:file': {
      summary: 'What the script loads in turn; its names have a hash, and browsers keep it for a year',
      access: 'open',
      answers: { 200: script, 304: { description: 'The browser has it (`If-None-Match`).' } },
    },
    'GET /beach-chat.json': {
      summary: 'What the element shows of the agent; 403 for pages that are not in `access.origins`',
      access: 'open',
      answers: {
        200: {
          description: 'The agent.',
          json: {
            type: 'object',
            required: ['name', 'suggestions'],
            properties: {
              name: { type: 'string' },
              suggestions: texts,
              peers: { type: 'object', additionalProperties: { type: 'string' } },
            },
          },
        },
      },
    },
  })
}
