import { describeRoutes, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const object = { type: 'object' }

const runs: Readonly<Record<string, RouteDescription>> = {
  'POST /agui': {
    summary: 'One run of AG-UI',
    access: 'caller',
    body: { type: 'object', required: ['threadId', 'runId'] },
    answers: { 200: { description: 'The events of the run.', type: 'text/event-stream' } },
  },
  'POST /agui/cancel': {
    summary: 'Cancels what runs in a thread',
    access: 'caller',
    body: { type: 'object', required: ['threadId'], properties: { threadId: { type: 'string' } } },
    answers: { 202: { description: 'Whether there was something to cancel.', json: object } },
  },
  'GET /agui/capabilities': {
    summary: 'The agent’s capabilities, in the form of AG-UI',
    access: 'open',
    answers: { 200: { description: 'The capabilities.', json: object } },
  },
}

function slice(ns: string): Readonly<Record<string, RouteDescription>> {
  return {
    [`POST /${ns}/events`]: {
      summary: `Input for the slice ${ns} of a thread, without a run`,
      access: 'caller',
      body: { type: 'object', required: ['threadId'] },
      answers: { 202: { description: 'The answer of the slice.', json: object } },
      errors: { description: 'The slice refuses it, or the agent does.', json: object },
    },
    [`GET /${ns}/instances/:id`]: {
      summary: `One instance of the slice ${ns}`,
      access: 'caller',
      query: { threadId: 'The thread of the instance.' },
      answers: {
        200: { description: 'The instance.', json: object },
        304: { description: 'The client has it (`If-None-Match`).' },
      },
    },
    [`GET /${ns}/ws`]: {
      summary: `The events of a thread by WebSocket, and input for the slice ${ns}`,
      access: 'caller',
      answers: { 101: { description: `The connection is a WebSocket now (subprotocol \`${ns}.v1\`).` } },
    },
  }
}

/** The routes of AG-UI, and of the slices that clients can speak to, in an agent's OpenAPI document. */
export function aguiOpenApi(namespaces: readonly string[]): OpenApiPart {
  return describeRoutes('AG-UI', Object.assign({}, runs, ...namespaces.map(slice)))
}
