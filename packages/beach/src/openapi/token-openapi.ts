import { describeRoutes, type OpenApiPart } from '@cool-ai/beach-core/openapi'

const text = { type: 'string' }

/** Renewing tokens and logging out, in an agent's OpenAPI document. */
export function tokenOpenApi(): OpenApiPart {
  return describeRoutes('Sessions', {
    'POST /token': {
      summary: 'Gets new tokens by a refresh token, which is good for one turn',
      access: 'signed',
      body: {
        type: 'object',
        required: ['refreshToken'],
        properties: { refreshToken: text },
        additionalProperties: false,
      },
      answers: {
        200: {
          description: 'The next tokens of the same login.',
          json: {
            type: 'object',
            required: ['token', 'refreshToken', 'expiresAt'],
            properties: { token: text, refreshToken: text, expiresAt: { type: 'integer' } },
          },
        },
      },
    },
    'POST /logout': {
      summary: 'Ends the login of the caller’s token or cookie, or all logins of the caller',
      access: 'caller',
      body: { type: 'object', properties: { everywhere: { type: 'boolean' } }, additionalProperties: false },
      answers: { 204: { description: 'Its tokens work no more, and its streams end.' } },
    },
  })
}
