import type { OpenApiSchema } from '@cool-ai/beach-core/openapi'

const text: OpenApiSchema = { type: 'string' }
const number: OpenApiSchema = { type: 'number' }
const flag: OpenApiSchema = { type: 'boolean' }
const any: OpenApiSchema = {}
const texts = listOf(text)
const state: OpenApiSchema = { type: 'object' }

/** An object with these members, those whose names end with a question mark not always. Others may come with it. */
function object(members: Readonly<Record<string, OpenApiSchema>>): OpenApiSchema {
  const names = Object.keys(members)
  return {
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), members[name]])),
  }
}

function listOf(items: OpenApiSchema): OpenApiSchema {
  return { type: 'array', items }
}

/** A page of a list, with the cursor of the next one. */
function page(items: OpenApiSchema, next: OpenApiSchema = text): OpenApiSchema {
  return object({ items: listOf(items), 'next?': next })
}

const done = (status: string) => object({ status: { const: status } })
const principal = object({ kind: text, id: text })
const counts = { events: number, turns: number, messages: number, errors: number, tokens: number, cost: number }

const session = object({
  sessionId: text,
  title: text,
  state: text,
  'owner?': principal,
  channels: texts,
  openedAt: number,
  lastAt: number,
  ...counts,
  pendingApprovals: texts,
  deadLetters: number,
})
const pages = { eventPages: number, eventsPerPage: number, turnPages: number, turnsPerPage: number }
const event = object({ seq: number, event: object({ type: text, at: number }) })
const row = object({ id: text, kind: text, title: text, seq: number, at: number, detail: state })
const turn = object({
  turnId: text,
  actor: text,
  since: number,
  receivedAt: number,
  startedAt: number,
  'settledAt?': number,
  turnState: text,
  resumed: number,
  processes: texts,
  messages: listOf(object({ seq: number, at: number, messageId: text, originatorId: text, parts: listOf(any) })),
  origins: texts,
  steps: { type: 'object', additionalProperties: number },
  rows: listOf(row),
})
const listener = object({
  originatorId: text,
  transport: text,
  deliveryClass: text,
  way: { enum: ['push', 'pull'] },
  isRecipient: flag,
  parts: listOf(object({ partId: text, partType: text, decision: text, row: text, because: text })),
  'envelope?': listOf(state),
})
const difference = object({ turnId: text, change: text, asked: text, parts: listOf(state), tools: listOf(state) })
const error = object({ errorId: text, at: number, code: text, status: number, process: text })
const entry = object({ id: text, n: number, at: number, by: text, kind: text, what: text, hash: text })
const report = object({ id: text, agent: state, startedAt: number, ms: number, variants: texts, passed: flag })
const durations = object({ count: number, sum: number, classes: listOf(number) })
const calls = { modelCalls: number, toolErrors: number, deliveries: number, deliveryFailures: number }
const happened = { turns: number, errors: number, tokens: number, cost: number, ...calls }
const approval = object({ approvalId: text, sessionId: text, requestedAt: number, part: state })

/** The JSON that each route of the operator API answers with. */
export const answerSchemas: Readonly<Record<string, OpenApiSchema>> = {
  'GET me': object({ operator: text, tenant: text, mayAct: flag, agent: state, models: texts, modelActors: texts }),
  'GET sessions': page(session),
  'GET sessions/:id': { allOf: [session, object({ head: number, ...pages, 'view?': state })] },
  'GET sessions/:id/events': { allOf: [page(event, number), object({ count: number })] },
  'GET sessions/:id/events/:seq': object({ seq: number, event: state, changed: texts, before: state, after: state }),
  'GET sessions/:id/turns': object({ page: number, pages: number, items: listOf(turn) }),
  'GET sessions/:id/turns/:turnId/listeners': object({ items: listOf(listener) }),
  'GET traces/:traceId': object({ items: listOf(object({ sessionId: text, turnId: text })) }),
  'POST sessions/:id/cancel': object({ status: { enum: ['cancelled', 'notRunning'] } }),
  'POST sessions/:id/erase': done('erased'),
  'POST sessions/:id/replay': object({
    session: text,
    same: flag,
    events: object({ recorded: number, replayed: number }),
    turns: listOf(difference),
    problems: texts,
  }),
  'GET approvals': page(approval),
  'POST approvals/:id': object({ status: { const: 'decided' }, approvalId: text, decision: text }),
  'GET dead-letters': page(object({ sessionId: text, deliveryId: text, 'letter?': state })),
  'POST dead-letters/:session/:delivery': done('queued'),
  'GET put-aside': page(object({ transport: text, id: text, from: text, at: number, message: any })),
  'POST put-aside/:transport/:id': done('queued'),
  'GET revocations': object({ items: listOf(object({ at: number, target: text, by: text })) }),
  'POST revocations': object({ status: { const: 'revoked' }, target: text }),
  'GET processes': object({
    now: number,
    processes: listOf(object({ id: text, 'host?': text, 'pid?': number, seenAt: number })),
    leases: listOf(object({ session: text, until: number })),
  }),
  'GET metrics': object({
    classes: listOf(number),
    items: listOf(
      object({ at: number, ...happened, firstPart: durations, firstToken: durations, deliveryLag: durations }),
    ),
  }),
  'GET errors': page(error),
  'GET errors/:id': error,
  'GET evaluations': page({ allOf: [report, object({ totals: state })] }),
  'GET evaluations/:id': { allOf: [report, object({ cases: listOf(object({ name: text, passed: flag })) })] },
  'GET audit': page(entry),
  'GET audit/verify': object({ tenant: text, entries: number, 'head?': state, 'problem?': state }),
}
