import type { Channel } from '@cool-ai/beach-core'
import { describeRoutes, type OpenApiPart, type OpenApiSchema } from '@cool-ai/beach-core/openapi'

export interface OpenApiOptions {
  readonly agent: { readonly id: string; readonly name: string; readonly description?: string | undefined }
  readonly publicUrl: string | undefined
  readonly cookie: string
  readonly handlers: readonly Pick<Channel, 'openapi'>[]
}

const error: OpenApiSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'id'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        id: { type: 'string', description: 'By which the log and the inspector have this error.' },
      },
    },
  },
}

const health = (status: string): OpenApiSchema => ({
  type: 'object',
  required: ['status', 'agent'],
  properties: { status: { const: status }, agent: { type: 'string' } },
})

const ofEveryAgent = describeRoutes('Health', {
  'GET /healthz': {
    summary: 'Whether the process is alive',
    access: 'open',
    answers: { 200: { description: 'It is.', json: health('ok') } },
  },
  'GET /readyz': {
    summary: 'Whether the agent can take work',
    access: 'open',
    answers: {
      200: { description: 'It can.', json: health('ready') },
      503: { description: 'It cannot; `failing` says why.', json: health('unavailable') },
    },
  },
  'GET /openapi.json': {
    summary: 'This document',
    access: 'open',
    answers: { 200: { description: 'An OpenAPI 3.1 document.', json: { type: 'object' } } },
  },
})

/** The OpenAPI 3.1 document of an agent: the routes that it really has, each described by its channel. */
export async function openApiDocument({ agent, publicUrl, cookie, handlers }: OpenApiOptions) {
  const described = await Promise.all(handlers.map(async (handler) => handler.openapi?.()))
  const parts: readonly OpenApiPart[] = [ofEveryAgent, ...described.filter((part) => part !== undefined)]
  const schemas = Object.assign({ Error: error }, ...parts.map((part) => part.schemas ?? {}))
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: agent.name, version: '1', description: agent.description ?? `The agent ${agent.id}, by HTTP.` },
    servers: [{ url: publicUrl?.replace(/\/+$/, '') ?? '/' }],
    paths: Object.assign({}, ...parts.map((part) => part.paths)),
    components: {
      schemas,
      responses: {
        Error: {
          description: 'The request was refused, and has changed nothing.',
          headers: { 'X-Error-Id': { description: 'The id of the error.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token of `POST /sessions`, or an access token.' },
        cookie: { type: 'apiKey', in: 'cookie', name: cookie, description: 'Set by the agent’s page.' },
        operator: { type: 'http', scheme: 'bearer', description: 'A credential of an operator.' },
      },
    },
  }
}
