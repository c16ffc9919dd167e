import { describeRoutes, type OpenApiPart } from '@cool-ai/beach-core/openapi'

/** The Agent Card in an agent's OpenAPI document. */
export function cardOpenApi(path: string): OpenApiPart {
  return describeRoutes('A2A', {
    [`GET ${path}`]: {
      summary: 'The Agent Card',
      access: 'open',
      answers: {
        200: { description: 'An A2A card with the Beach extension.', json: { type: 'object', required: ['name'] } },
        304: { description: 'The client has it (`If-None-Match`).' },
      },
    },
  })
}
