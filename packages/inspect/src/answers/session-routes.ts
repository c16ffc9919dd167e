import { jsonResponse, readJson } from '@cool-ai/beach-channel/http'
import { actScope, adminScope, lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError, type Principal } from '@cool-ai/beach-core'
import { toLogged } from '@cool-ai/beach-core/log'
import type { TracedTurn } from '@cool-ai/beach-core/ports'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'
import { eventsPerMark, summaryOf, turnsPerMark, type SessionRow } from '../listing/session-row.ts'
import { redacted } from '../redact.ts'
import { readTurns } from '../turns/read-turns.ts'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { eventPage } from './event-page.ts'
import { paged, Query } from './query.ts'

const cancelSchema = z.object({ turnId: z.string().min(1).optional() }).strict()
const maxFound = 100
const exportPage = 500

/** Sessions: listed, looked into, cancelled, erased, exported. */
export function sessionRoutes(context: AnswerContext): readonly OperatorRoute[] {
  const { audit, index, store, sessions } = context
  const found = (session: string, by: Principal) => findRow(context, session, by)
  return [
    {
      method: 'GET',
      path: 'sessions',
      scope: lookScope,
      summary: 'Sessions of the tenant, last used first',
      query: {
        ...paged,
        q: 'Words.',
        state: 'The state of the last turn.',
        principal: 'An id, or kind~id.',
        channel: 'A transport.',
        from: 'Used at this time or later.',
        to: 'Used before this time.',
      },
      async answer({ request, by }) {
        const query = new Query(request)
        const [words, state] = [query.text('q'), query.text('state')]
        const filter = { words, state, principal: query.text('principal'), channel: query.text('channel') }
        const times = { from: query.time('from'), to: query.time('to') }
        // Not the words: they may name a person, and the record is never erased.
        await audit.look(by, 'sessions', { detail: words && 'search' })
        const page = { after: query.text('after'), limit: query.limit(200) }
        await context.follower.caughtUp()
        const listed = await index.list(by, { ...filter, ...times }, page)
        const more = page.after === undefined && words !== undefined ? await searched(context, words, by) : []
        const known = new Set(listed.items.map(({ sessionId }) => sessionId))
        const items = [...listed.items, ...more.filter(({ sessionId }) => !known.has(sessionId))]
        return jsonResponse({ items: items.map(summaryOf), next: listed.next })
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id',
      scope: lookScope,
      summary: 'One session with its view',
      async answer({ by, params: { id = '' } }) {
        const row = await found(id, by)
        await audit.look(by, 'session', { session: id })
        const isErased = row.owner === undefined
        const view = isErased ? undefined : await sessions().view(id, by)
        const pages = { eventPages: row.marks.length, eventsPerPage: eventsPerMark }
        const turnPages = { turnPages: row.turnMarks.length, turnsPerPage: turnsPerMark }
        return jsonResponse({ ...summaryOf(row), head: row.seq, ...pages, ...turnPages, view: redacted(view) })
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id/events',
      scope: lookScope,
      summary: 'Raw events of a session, page by page',
      query: { ...paged, at: 'The place of the first event, from 0.', types: 'Event types, with commas.' },
      async answer({ request, by, params: { id = '' } }) {
        const row = await found(id, by)
        await audit.look(by, 'session.events', { session: id })
        return jsonResponse(await eventPage(store, row, new Query(request)))
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id/events/:seq',
      scope: lookScope,
      summary: 'An event with the fold before and after it',
      async answer({ by, params: { id = '', seq = '' } }) {
        await found(id, by)
        const place = /^[1-9]\d{0,15}$/.test(seq) ? Number(seq) : 0
        const around = place > 0 ? await sessions().foldAround(id, place, by) : undefined
        const [event] = await store.read(id, place - 1, 1)
        if (around === undefined || event === undefined) throw new BeachError('NOT_FOUND', 'The log has no such event.')
        await audit.look(by, 'session.fold', { session: id })
        const { before, after } = around
        const changed = Object.keys(after).filter((ns) => JSON.stringify(before[ns]) !== JSON.stringify(after[ns]))
        const shown = { before: shownState(before), after: shownState(after) }
        return jsonResponse({ seq: event.seq, event: redacted(event.data), changed, ...shown })
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id/turns',
      scope: lookScope,
      summary: 'Twenty turns of a session as spans',
      query: { page: 'The page, from 0; the last one when left out.' },
      async answer({ request, by, params: { id = '' } }) {
        const row = await found(id, by)
        await audit.look(by, 'session.turns', { session: id })
        const page = new Query(request).number('page') ?? Math.max(0, row.turnMarks.length - 1)
        const turns = await readTurns(store, row, page)
        return jsonResponse({ page, pages: row.turnMarks.length, items: redacted(turns) })
      },
    },
    {
      method: 'GET',
      path: 'traces/:traceId',
      scope: lookScope,
      summary: 'The turns that told of an error under a trace id',
      async answer({ by, params: { traceId = '' } }) {
        const traced = await sessions().tracedTurns(traceId, by)
        const items = await Promise.all(traced.map((turn) => placeOf(context, turn, by)))
        await audit.look(by, 'trace', { detail: traceId })
        return jsonResponse({ items: items.flatMap((item) => item ?? []) })
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id/turns/:turnId/listeners',
      scope: lookScope,
      summary: 'What each originator gets of a turn, and why not the rest',
      query: { since: 'The seq of the turn’s first message.' },
      async answer({ request, by, params: { id = '', turnId = '' } }) {
        await found(id, by)
        const since = new Query(request).number('since') ?? 1
        const listeners = await sessions().turnListeners(id, turnId, since, by)
        if (listeners === undefined) throw new BeachError('NOT_FOUND', 'The session has no such turn.')
        await audit.look(by, 'session.listeners', { session: id })
        return jsonResponse({ items: redacted(listeners) })
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id/export',
      scope: adminScope,
      summary: 'All events of a session as a file',
      type: 'application/x-ndjson',
      async answer({ by, params: { id = '' } }) {
        await found(id, by)
        await audit.act(by, 'session.export', { session: id })
        return exported(context, id)
      },
    },
    {
      method: 'POST',
      path: 'sessions/:id/cancel',
      scope: actScope,
      summary: 'Cancels the turn that runs',
      body: { type: 'object', properties: { turnId: { type: 'string' } } },
      async answer({ request, by, params: { id = '' } }) {
        const { turnId } = parsed(cancelSchema, (await readJson(request, { caller: by })) ?? {})
        await found(id, by)
        await audit.act(by, 'session.cancel', { session: id, detail: turnId })
        return jsonResponse({ status: (await sessions().cancel(id, turnId, by)) ? 'cancelled' : 'notRunning' })
      },
    },
    {
      method: 'POST',
      path: 'sessions/:id/erase',
      scope: adminScope,
      summary: 'Erases a session for good',
      async answer({ by, params: { id = '' } }) {
        await found(id, by)
        await audit.act(by, 'session.erase', { session: id })
        await context.erase(id, by)
        await context.follower.row(id)
        return jsonResponse({ status: 'erased' })
      },
    },
  ]
}

/** The row of a session as its log is now. A session of another tenant is not found. */
export async function findRow({ follower }: AnswerContext, session: string, by: Principal): Promise<SessionRow> {
  const row = await follower.row(session)
  if (row === undefined || row.tenant !== by.tenant) throw new BeachError('NOT_FOUND', 'There is no such session.')
  return row
}

/** A turn with the page of turns that it is on; undefined when its session is gone. */
async function placeOf(context: AnswerContext, { sessionId, turnId }: TracedTurn, by: Principal) {
  const row = await findRow(context, sessionId, by).catch(() => undefined)
  if (row === undefined) return undefined
  for (let page = row.turnMarks.length - 1; page >= 0; page--) {
    const turns = await readTurns(context.store, row, page)
    if (turns.some((turn) => turn.turnId === turnId)) return { sessionId, turnId, page, title: row.title }
  }
  return { sessionId, turnId, title: row.title }
}

/** Sessions whose messages have the words, besides those whose titles do. */
async function searched(context: AnswerContext, words: string, by: Principal): Promise<SessionRow[]> {
  const ids = await context.search?.(words, by)
  const rows = await Promise.all([...new Set(ids)].slice(0, maxFound).map((id) => context.index.row(id)))
  return rows.flatMap((row) => (row === undefined || row.tenant !== by.tenant ? [] : [row]))
}

/** The tables of received messages are only keys and places, and may be long. */
function shownState(state: Readonly<Record<string, unknown>>): unknown {
  const { session, ...others } = state
  const { received: _, ...shown } = Object(session) as Record<string, unknown>
  return redacted({ session: shown, ...others })
}

/** The events of a session, a line of JSON each, read as fast as they are taken. */
function exported({ store }: AnswerContext, session: string): Response {
  const encoder = new TextEncoder()
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const events = (await store.read(session, at, exportPage, 1024 * 1024)).map(toLogged)
      at = events.at(-1)?.seq ?? at
      for (const event of events) controller.enqueue(encoder.encode(`${JSON.stringify(redacted(event))}\n`))
      if (events.length === 0) controller.close()
      await yieldToEventLoop()
    },
  })
  const headers = {
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename="${session.replaceAll(/[^\w-]/g, '_')}.jsonl"`,
    'content-type': 'application/x-ndjson',
    'x-content-type-options': 'nosniff',
  }
  return new Response(body, { headers })
}

/** A body that fits its schema, or a sentence on why it does not. */
export function parsed<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue?.path.join('.') || 'the body'
  throw new BeachError('BAD_REQUEST', `This was not understood: ${where}: ${issue?.message ?? 'not valid'}.`)
}
