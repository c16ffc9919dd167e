import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const object = { type: 'object' }
const errors = { description: 'An error of JSON-RPC.', json: object }

const endpoint: RouteDescription = {
  summary: 'MCP by Streamable HTTP',
  access: 'caller',
  headers: {
    'mcp-protocol-version': 'The revision that the client speaks.',
    'mcp-session-id': 'The session, in revisions that have them.',
  },
  answers: {
    200: {
      description: 'The response, at once or as a stream.',
      json: { type: ['object', 'array'] },
      type: 'text/event-stream',
    },
    202: { description: 'A notification was accepted.' },
  },
  errors,
}

/** The routes of MCP in an agent's OpenAPI document. */
export function mcpOpenApi(metadataPaths: readonly string[]): OpenApiPart {
  const metadata: RouteDescription = {
    summary: 'Where access tokens for MCP come from',
    access: 'open',
    answers: { 200: { description: 'OAuth 2.0 protected resource metadata.', json: object } },
  }
  return describeRoutes('MCP', {
    'POST /mcp': { ...endpoint, body: { type: ['object', 'array'] } },
    'GET /mcp': {
      ...endpoint,
      summary: 'Notifications of a session, in revisions that have them',
      answers: { 200: { description: 'They come as they are sent.', type: 'text/event-stream' } },
    },
    'DELETE /mcp': {
      ...endpoint,
      summary: 'Ends a session, in revisions that have them',
      answers: { 200: { description: 'It has ended.' }, 204: { description: 'It has ended.' } },
    },
    ...Object.fromEntries(metadataPaths.map((path) => [`GET ${path}`, metadata])),
  })
}
