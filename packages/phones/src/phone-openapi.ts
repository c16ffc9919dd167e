import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'
import { textLinkPath } from './people/text-links.ts'

const longText: RouteDescription = {
  summary: 'A text that was too long for a message',
  access: 'signed',
  answers: {
    200: { description: 'The text, as a page.', type: 'text/html' },
    404: { description: 'The link is too old, or wrong: a page that says so.', type: 'text/html' },
  },
}

const formType = 'application/x-www-form-urlencoded'

const services: Readonly<Record<string, Readonly<Record<string, RouteDescription>>>> = {
  whatsapp: {
    'GET /channels/whatsapp': {
      summary: 'Answers the question of Meta’s set-up',
      access: 'signed',
      query: { 'hub.mode': '`subscribe`', 'hub.verify_token': 'The agreed word.', 'hub.challenge': 'Comes back.' },
      answers: { 200: { description: 'The challenge.', type: 'text/plain' } },
    },
    'POST /channels/whatsapp': {
      summary: 'Takes webhooks of WhatsApp',
      access: 'signed',
      headers: { 'x-hub-signature-256': 'By the app secret.' },
      body: { type: 'object' },
      answers: { 200: { description: 'All messages in it are stored.' } },
    },
  },
  sms: {
    'POST /channels/sms': {
      summary: 'Takes messages from Twilio',
      access: 'signed',
      headers: { 'x-twilio-signature': 'By the auth token.' },
      body: { type: 'object' },
      bodyType: formType,
      answers: { 200: { description: 'The message is stored.', type: 'text/xml' } },
    },
    'POST /channels/sms/status': {
      summary: 'Takes what Twilio says of messages that were sent',
      access: 'signed',
      headers: { 'x-twilio-signature': 'By the auth token.' },
      body: { type: 'object' },
      bodyType: formType,
      answers: { 204: { description: 'It is noted.' } },
    },
  },
}

/** The routes of a phone channel in an agent's OpenAPI document. */
export function phoneOpenApi(transport: string): OpenApiPart {
  return describeRoutes('Phones', { ...services[transport], [`GET ${textLinkPath}`]: longText })
}
