import { describeRoutes, type OpenApiPart } from '@cool-ai/beach-core/openapi'

/** The routes of work chats in an agent’s OpenAPI document. */
export function chatOpenApi(): OpenApiPart {
  return describeRoutes('Work chats', {
    'POST /channels/chat/:adapter': {
      summary: 'Takes webhooks of a chat platform',
      access: 'signed',
      body: { type: 'object' },
      answers: { 200: { description: 'What it brought is stored; the body is what the platform expects.' } },
    },
  })
}
