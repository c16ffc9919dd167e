import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'
import { answerSchemas } from './answer-schemas.ts'
import type { OperatorRoute } from './answers/answer-context.ts'

/** The routes of the inspector in an agent's OpenAPI document. */
export function inspectOpenApi(routes: readonly OperatorRoute[]): OpenApiPart {
  const api = routes.map((route) => [`${route.method} /inspect/api/${route.path}`, described(route)] as const)
  const description = 'With the header `x-beach-inspect`.'
  return describeRoutes('Inspector', {
    ...Object.fromEntries(api),
    'POST /inspect/session': {
      summary: 'Signs the inspector’s page in with a token',
      description,
      access: 'open',
      body: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
      answers: { 204: { description: 'Signed in, by a cookie.' } },
    },
    'DELETE /inspect/session': {
      summary: 'Signs it out',
      description,
      access: 'open',
      answers: { 204: { description: 'Signed out.' } },
    },
    'GET /inspect/traces/:traceId': {
      summary: 'To the turn of an error part, or of a line of the log, in the inspector’s page',
      access: 'open',
      answers: { 303: { description: 'To the page, which shows it to operators who may look.' } },
    },
    'GET /inspect/errors/:errorId': {
      summary: 'To the error of an answer, or of a line of the log, in the inspector’s page',
      access: 'open',
      answers: { 303: { description: 'To the page, which shows it to operators who may look.' } },
    },
    'GET /inspect/': {
      summary: 'The inspector’s page',
      access: 'open',
      query: { token: 'The one-time token of the link that the start prints.' },
      answers: {
        200: { description: 'The page.', type: 'text/html' },
        303: { description: 'The token was right: to the page, with a cookie.' },
        401: { description: 'The link was used, or is of an earlier start.', type: 'text/html' },
      },
    },
  })
}

function described({ method, path, summary, scope, query, status = 200, type, body }: OperatorRoute): RouteDescription {
  const json = answerSchemas[`${method} ${path}`]
  const answers = { [status]: { description: 'Done.', json, type } }
  return {
    summary,
    description: `For operators with the scope \`${scope}\`.`,
    access: 'operator',
    scope,
    query,
    body,
    answers,
  }
}
