import { describeRoutes, schemaRef, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'
import { schemas } from './schemas.ts'

const json = (description: string, schema: string) => ({ description, json: schemaRef(schema) })
const page = { after: 'Where the page before ended (`next`).', limit: 'How many at most; 200 is the maximum.' }
const after = { after: 'The id of the last event that the client has.' }

const sse: Readonly<Record<string, RouteDescription>> = {
  'POST /sessions': {
    summary: 'Opens a session',
    description: 'A caller without a credential becomes a guest, and gets a token.',
    access: 'open',
    body: { type: 'object', additionalProperties: false },
    answers: { 201: json('The new session.', 'Opened') },
  },
  'GET /sessions/:id': {
    summary: 'What there is to know of a session without its log',
    access: 'caller',
    answers: { 200: json('The session.', 'Session') },
  },
  'POST /sessions/:id/messages': {
    summary: 'Sends a message, or an action of a surface',
    access: 'caller',
    headers: { 'idempotency-key': 'The same key with the same content is the same message.' },
    body: schemaRef('Message'),
    answers: {
      200: json('The body was a decision.', 'Decided'),
      202: json('The message is stored.', 'Taken'),
    },
  },
  'GET /sessions/:id/events': {
    summary: 'Follows a session as server-sent events',
    access: 'caller',
    query: after,
    headers: { 'last-event-id': 'As `after`; it counts more.' },
    answers: { 200: { description: 'The events, until one side closes the connection.', type: 'text/event-stream' } },
  },
  'POST /sessions/:id/cancel': {
    summary: 'Cancels a turn',
    access: 'caller',
    body: { type: 'object', properties: { turnId: { type: 'string' } }, additionalProperties: false },
    answers: { 202: json('Whether such a turn ran.', 'Cancelled') },
  },
  'POST /sessions/:id/approvals/:approvalId': {
    summary: 'Decides an approval',
    access: 'caller',
    body: schemaRef('Decision'),
    answers: { 200: json('The decision is stored.', 'Decided') },
  },
  'DELETE /sessions/:id/allowances/:approvalId': {
    summary: 'Revokes that a tool is allowed for the rest of a session',
    access: 'caller',
    answers: { 200: json('It is revoked.', 'Revoked') },
  },
}

const webSocket: Readonly<Record<string, RouteDescription>> = {
  'GET /sessions/:id/ws': {
    summary: 'Follows a session by WebSocket, and takes messages, decisions and cancellations',
    access: 'caller',
    query: after,
    answers: { 101: { description: 'The connection is a WebSocket now (subprotocol `beach.v1`).' } },
  },
}

const links: Readonly<Record<string, RouteDescription>> = {
  'POST /sessions/:id/links': {
    summary: 'Makes a link by which a second device joins the session',
    access: 'caller',
    answers: { 201: json('The link, for one use within ten minutes.', 'DeviceLink') },
  },
  'POST /join': {
    summary: 'Joins a session by the code of such a link',
    access: 'signed',
    body: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
    answers: { 200: json('The session; a program gets a token, a browser a cookie.', 'Joined') },
  },
}

const memory: Readonly<Record<string, RouteDescription>> = {
  'GET /memory': {
    summary: 'What is remembered of the caller',
    access: 'caller',
    answers: { 200: json('The consent, and the entries.', 'PersonMemory') },
  },
  'DELETE /memory': {
    summary: 'Erases what is remembered of the caller, and remembers nothing from now on',
    access: 'caller',
    answers: { 204: { description: 'It is erased.' } },
  },
  'DELETE /memory/:id': {
    summary: 'Forgets one entry',
    access: 'caller',
    answers: { 204: { description: 'It is erased.' } },
  },
}

const previews: Readonly<Record<string, RouteDescription>> = {
  'GET /sessions/:id/turns/:turnId/previews': {
    summary: 'What each channel gets of a turn',
    access: 'caller',
    answers: { 200: json('The previews.', 'Previews') },
  },
  'GET /sessions/:id/turns/:turnId/previews/:transport/:index': {
    summary: 'One mail of the previews',
    access: 'caller',
    answers: { 200: { description: 'The mail, without scripts.', type: 'text/html' } },
  },
}

const decide: RouteDescription = {
  summary: 'Decides an approval of the inbox',
  access: 'caller',
  body: schemaRef('Decision'),
  answers: {
    200: json('The decision is stored.', 'Decided'),
    303: { description: 'After a form: back to the page.' },
  },
}

const inbox: Readonly<Record<string, RouteDescription>> = {
  'GET /approvals': {
    summary: 'What waits for the caller’s decision, over all sessions',
    description: 'With `Accept: text/html` as a page.',
    access: 'caller',
    query: { after: page.after, done: 'What the page says was decided.' },
    answers: {
      200: { ...json('The requests, the oldest first.', 'Inbox'), type: 'text/html' },
      401: { ...json('The caller is not known.', 'Error'), type: 'text/html' },
    },
  },
  'POST /approvals/:approvalId': decide,
  'POST /approvals/at/:agent/:approvalId': { ...decide, summary: 'Decides an approval of another agent in the inbox' },
  'GET /approvals/keys': {
    summary: 'The public keys of an inbox that shows other agents',
    access: 'open',
    answers: { 200: json('A JWK Set.', 'JwkSet') },
  },
}

const operator: Readonly<Record<string, RouteDescription>> = {
  'GET /operator/dead-letters': {
    summary: 'Deliveries that were given up',
    access: 'operator',
    scope: 'inspect',
    query: page,
    answers: { 200: json('One page of them.', 'DeadLetters') },
  },
  'POST /operator/dead-letters/:session/:delivery': {
    summary: 'Sends a delivery again that was given up',
    access: 'operator',
    scope: 'inspect:act',
    answers: { 202: json('It is queued.', 'Queued') },
  },
  'GET /operator/traces/:traceId': {
    summary: 'The turns that told of an error under a trace id',
    access: 'operator',
    scope: 'inspect',
    answers: { 200: json('The turns.', 'Traced') },
  },
  'GET /operator/put-aside': {
    summary: 'Messages of phones that could not be handled',
    access: 'operator',
    scope: 'inspect',
    query: page,
    answers: { 200: json('One page of them.', 'PutAside') },
  },
  'POST /operator/put-aside/:transport/:id': {
    summary: 'Puts a message back, to be handled again',
    access: 'operator',
    scope: 'inspect:act',
    answers: { 202: json('It is queued.', 'Queued') },
  },
  'DELETE /operator/put-aside/:transport/:id': {
    summary: 'Discards a message that was put aside',
    access: 'operator',
    scope: 'inspect:act',
    answers: { 204: { description: 'It is gone.' } },
  },
}

const metrics: Readonly<Record<string, RouteDescription>> = {
  'GET /metrics': {
    summary: 'The metrics of this process, in Prometheus’ text format',
    access: 'operator',
    scope: 'inspect',
    answers: { 200: { description: 'The metrics.', type: 'text/plain' } },
  },
}

const artifacts: Readonly<Record<string, RouteDescription>> = {
  'GET /artifacts/:id': {
    summary: 'A file, by its signed link',
    access: 'signed',
    query: { token: 'Of the link.' },
    answers: {
      200: { description: 'The bytes.', type: '*/*' },
      206: { description: 'The bytes of the `Range`.', type: '*/*' },
      304: { description: 'The client has them (`If-None-Match`).' },
    },
  },
}

const groups = {
  sse: ['Sessions', sse],
  webSocket: ['Sessions', webSocket],
  links: ['Devices', links],
  previews: ['Previews', previews],
  memory: ['Memory', memory],
  inbox: ['Approvals', inbox],
  operator: ['Operators', operator],
  metrics: ['Operators', metrics],
  artifacts: ['Artifacts', artifacts],
} as const

/** One group of this package's routes in an agent's OpenAPI document. */
export function webOpenApi(group: keyof typeof groups): OpenApiPart {
  const [tag, routes] = groups[group]
  return describeRoutes(tag, routes, schemas)
}
