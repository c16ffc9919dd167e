import { describeRoutes, type OpenApiPart } from '@cool-ai/beach-core/openapi'

const envelope = {
  description: 'The envelope of the settled turn, or what became of the decision.',
  json: { type: 'object' },
}
const status = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string' }, statusUrl: { type: 'string' }, envelope: { type: 'object' } },
}

/** The routes of webhooks in an agent's OpenAPI document. */
export function webhookOpenApi(statusPath: string): OpenApiPart {
  return describeRoutes('Webhooks', {
    'POST /webhooks/:name': {
      summary: 'Takes a signed payload of another program',
      access: 'signed',
      body: {},
      answers: {
        200: envelope,
        202: { description: 'The answer takes longer, or a slice took the payload.', json: { type: 'object' } },
        204: { description: 'There was nothing to say.' },
      },
    },
    [`GET ${statusPath}`]: {
      summary: 'What has become of a payload',
      access: 'signed',
      answers: { 200: { description: 'How it stands.', json: status } },
    },
  })
}
