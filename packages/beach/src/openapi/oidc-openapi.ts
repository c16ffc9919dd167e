import { describeRoutes, type OpenApiPart } from '@cool-ai/beach-core/openapi'

const toProvider = { 303: { description: 'To the sign-in provider, or back with the cookies of a new login.' } }

/** Signing in with an OpenID Connect provider, in an agent's OpenAPI document. */
export function oidcOpenApi(): OpenApiPart {
  return describeRoutes('Sessions', {
    'GET /login': {
      summary: 'Signs a browser in with the OpenID Connect provider',
      access: 'open',
      query: { to: 'The path of the agent to come back to; its page when left out.' },
      answers: toProvider,
    },
    'GET /login/callback': {
      summary: 'Where the provider sends the browser back to',
      access: 'signed',
      query: { code: 'The provider’s.', state: 'That of the sign-in.', iss: 'The provider’s issuer.' },
      answers: toProvider,
    },
    'POST /login/ended': {
      summary: 'The provider says that the session of a person has ended (back-channel logout)',
      access: 'signed',
      body: { type: 'object', required: ['logout_token'], properties: { logout_token: { type: 'string' } } },
      bodyType: 'application/x-www-form-urlencoded',
      answers: { 200: { description: 'The logins that came of it have ended.' } },
    },
    'GET /logout': {
      summary: 'A page that asks whether to sign out, here and at the provider',
      access: 'open',
      answers: { 200: { description: 'The page.', type: 'text/html' } },
    },
  })
}
