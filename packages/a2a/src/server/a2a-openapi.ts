import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const object = { type: 'object' }
const type = 'application/a2a+json'
const errors = { description: 'An error in the form of A2A’s HTTP+JSON binding.', json: object, type }
const task = { description: 'In the terms of A2A.', json: object, type }
const stream = { description: 'What happens to the task.', type: 'text/event-stream' }
const rest = (summary: string, answers: RouteDescription['answers'], body?: RouteDescription['body']) =>
  ({ summary, access: 'caller', body, answers, errors }) satisfies RouteDescription

const root = '/a2a/rest'

const byRest: Readonly<Record<string, RouteDescription>> = {
  [`POST ${root}/message:send`]: rest('Sends a message, and gets its task', { 200: task, 201: task }, object),
  [`POST ${root}/message:stream`]: rest('Sends a message, and follows its task', { 200: stream }, object),
  [`GET ${root}/tasks`]: rest('The caller’s latest tasks', { 200: task }),
  [`GET ${root}/tasks/:id`]: rest('A task', { 200: task }),
  [`POST ${root}/tasks/:id:cancel`]: rest('Cancels a task', { 200: task }),
  [`GET ${root}/tasks/:id:subscribe`]: rest('Follows a task', { 200: stream }),
  [`POST ${root}/tasks/:id:subscribe`]: rest('Follows a task', { 200: stream }),
  [`GET ${root}/tasks/:id/pushNotificationConfigs`]: rest('Where a task is pushed to', { 200: task }),
  [`POST ${root}/tasks/:id/pushNotificationConfigs`]: rest(
    'Adds where a task is pushed to',
    { 200: task, 201: task },
    object,
  ),
  [`GET ${root}/tasks/:id/pushNotificationConfigs/:configId`]: rest('One place that a task is pushed to', {
    200: task,
  }),
  [`DELETE ${root}/tasks/:id/pushNotificationConfigs/:configId`]: rest('Removes it', {
    200: task,
    204: { description: 'It is gone.' },
  }),
  [`GET ${root}/extendedAgentCard`]: rest('The card for callers with a credential', { 200: task }),
}

const byJsonRpc: RouteDescription = {
  summary: 'A2A by JSON-RPC 2.0, versions 1.0 and 0.3',
  description: 'Streaming methods answer with server-sent events.',
  access: 'caller',
  headers: { 'A2A-Version': '`1.0`; 0.3 when left out.', 'A2A-Extensions': 'URIs of extensions to activate.' },
  body: { type: 'object', required: ['jsonrpc', 'method'] },
  answers: {
    200: {
      description: 'The response, or an error of JSON-RPC.',
      json: { type: ['object', 'array'] },
      type: 'text/event-stream',
    },
  },
  errors: { description: 'An error of JSON-RPC.', json: object },
}

/** The routes of A2A in an agent's OpenAPI document. */
export function a2aOpenApi(keysPath: string | undefined): OpenApiPart {
  const keys: RouteDescription = {
    summary: 'The key that signs the card and push notifications',
    access: 'open',
    answers: { 200: { description: 'A JWK Set.', json: object } },
  }
  return describeRoutes('A2A', {
    'POST /a2a': byJsonRpc,
    ...byRest,
    ...(keysPath !== undefined && { [`GET ${keysPath}`]: keys }),
  })
}
