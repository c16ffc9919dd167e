import { schemaRef, type OpenApiSchema } from '@cool-ai/beach-core/openapi'

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const time = { type: 'integer', description: 'Milliseconds since 1970.' }
const list = (items: OpenApiSchema) => ({ type: 'array', items })
const object = (required: Readonly<Record<string, OpenApiSchema>>, optional = {}): OpenApiSchema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
})

const part = object({ metadata: object({ partType: text }) }, { text, data: {} })
const said = { type: 'object', properties: { text, data: {}, metadata: { type: 'object' } } }
const decision = object(
  { decision: { enum: ['granted', 'denied'] } },
  { reason: text, args: { type: 'object' }, allow: object({}, { upTo: { type: 'number', minimum: 0 } }) },
)
const request = object(
  { approvalId: text, sessionId: text, turnId: text, requestedAt: time, part: schemaRef('Part') },
  { expiresAt: time },
)
const turn = object({ turnId: text, actor: text, turnState: text, step: count }, { pendingApprovals: list(text) })
const session = object(
  {
    sessionId: text,
    head: count,
    epoch: count,
    coordinates: { type: 'object' },
    waiting: count,
    originators: list(object({ originatorId: text, transport: text, deliveryClass: text })),
    manifests: list(object({ manifestId: text, name: text, slots: list(object({ slot: text, state: text })) })),
    inFlight: list(object({ kind: { enum: ['tool', 'approval', 'slot', 'delivery'] }, id: text })),
    deadLetters: { type: 'array' },
    allowances: { type: 'array' },
  },
  { turn },
)
const letter = object({ originatorId: text, turnId: text, attempts: count, at: time, reason: text })
const aside = object({ transport: text, id: text, at: time, message: {} }, { from: text })

/** What bodies and answers of sessions, approvals and deliveries look like. */
export const schemas: Readonly<Record<string, OpenApiSchema>> = {
  Part: part,
  Message: {
    type: 'object',
    anyOf: [object({ text }), object({ parts: { ...list(said), minItems: 1, maxItems: 100 } })],
  },
  Taken: {
    type: 'object',
    anyOf: [object({ messageId: text, seq: count, duplicate: { type: 'boolean' } }), object({ heard: {}, seq: count })],
  },
  Opened: object({ sessionId: text }, { token: text, refreshToken: text, expiresAt: time }),
  Session: session,
  Cancelled: object({ cancelled: { type: 'boolean' } }),
  Decision: decision,
  Decided: object({ status: { const: 'decided' } }, { approvalId: text, decision: text }),
  Revoked: object({ status: { const: 'revoked' } }),
  Queued: object({ status: { const: 'queued' } }),
  Inbox: object(
    { items: list(request) },
    { next: text, agents: list(object({ id: text, name: text, url: text, items: { type: 'array' } })) },
  ),
  DeviceLink: object({ url: text, code: text, expiresAt: time }, { isLoopback: { type: 'boolean' } }),
  Joined: object({ sessionId: text }, { token: text, refreshToken: text, expiresAt: time }),
  PersonMemory: object(
    { entries: list(object({ id: text, at: time, text, origins: list(text), sessionId: text })) },
    { consent: object({ at: time }, { via: text }), refusedAt: time },
  ),
  Previews: object({
    turnId: text,
    turnState: text,
    previews: list(
      object({
        transport: text,
        deliveryClass: text,
        isConfigured: { type: 'boolean' },
        label: text,
        items: { type: 'array' },
      }),
    ),
  }),
  DeadLetters: object({ items: list(object({ sessionId: text, deliveryId: text }, { letter })) }, { next: text }),
  Traced: object({ items: list(object({ sessionId: text, turnId: text })) }),
  PutAside: object({ items: list(aside) }, { next: text }),
  JwkSet: object({ keys: { type: 'array' } }),
}
