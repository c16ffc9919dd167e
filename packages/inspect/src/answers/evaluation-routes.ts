import { jsonResponse } from '@cool-ai/beach-channel/http'
import { actScope, lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { toLogged } from '@cool-ai/beach-core/log'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { KeptEvaluations } from '../evaluations/kept/kept-evaluations.ts'
import { redacted } from '../redact.ts'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { paged, Query } from './query.ts'
import { findRow } from './session-routes.ts'

const maxCharacters = 50_000_000
const maxEvents = 10_000
const pageSize = 500

/** Evaluations: what came of those that were kept, and one made of a session. */
export function evaluationRoutes(context: AnswerContext): readonly OperatorRoute[] {
  const { audit, store } = context
  const kept = (tenant: string) => new KeptEvaluations(store, tenant)
  return [
    {
      method: 'GET',
      path: 'evaluations',
      scope: lookScope,
      summary: 'Results of evaluations that were kept, newest first',
      query: paged,
      async answer({ request, by }) {
        const query = new Query(request)
        const after = query.text('after')
        if (after !== undefined && !/^\d{13}:\w{1,80}$/.test(after)) {
          throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
        }
        await audit.look(by, 'evaluations')
        return jsonResponse(await kept(by.tenant).list(after, query.limit(200)))
      },
    },
    {
      method: 'GET',
      path: 'evaluations/:id',
      scope: lookScope,
      summary: 'The results of one of them, case by case',
      async answer({ by, params: { id = '' } }) {
        await audit.look(by, 'evaluation', { detail: id })
        const report = await kept(by.tenant).read(id)
        if (report === undefined) throw new BeachError('NOT_FOUND', 'No such results were kept.')
        return jsonResponse(redacted(report))
      },
    },
    {
      method: 'DELETE',
      path: 'evaluations/:id',
      scope: actScope,
      summary: 'Forgets the results of one of them',
      status: 204,
      async answer({ by, params: { id = '' } }) {
        await audit.act(by, 'evaluation.remove', { detail: id })
        if (!(await kept(by.tenant).remove(id))) throw new BeachError('NOT_FOUND', 'No such results were kept.')
        return new Response(null, { status: 204 })
      },
    },
    {
      method: 'GET',
      path: 'sessions/:id/evaluation',
      scope: actScope,
      summary: 'A session as an evaluation in YAML, which expects what happened',
      type: 'application/yaml',
      async answer({ by, params: { id = '' } }) {
        const { title } = await findRow(context, id, by)
        await audit.act(by, 'session.evaluation', { session: id })
        // Its libraries are loaded when it is used.
        const { sessionEvaluation } = await import('../evaluations/from-session/session-evaluation.ts')
        const about = { session: id, name: title === '' ? id : title, now: context.runtime.clock.now() }
        const yaml = sessionEvaluation(about, await eventsOf(context, id))
        if (yaml === undefined) throw new BeachError('NOT_FOUND', 'Nothing was said in this session, or it was erased.')
        const headers = {
          'cache-control': 'no-store',
          'content-disposition': `attachment; filename="${id.replaceAll(/[^\w-]/g, '_')}.yaml"`,
          'content-type': 'application/yaml',
          'x-content-type-options': 'nosniff',
        }
        return new Response(yaml, { headers })
      },
    },
  ]
}

/** The events of a session without secrets; of a long one the first ones. */
async function eventsOf({ store }: AnswerContext, session: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  let characters = 0
  for (let at = 0; events.length < maxEvents && characters < maxCharacters;) {
    const stored = await store.read(session, at, pageSize, 1024 * 1024)
    characters += JSON.stringify(stored).length
    const page = stored.map(toLogged)
    events.push(...page.map(({ event }) => redacted(event) as SessionEvent))
    if (page.length === 0) break
    at = page.at(-1)?.seq ?? at
    await yieldToEventLoop()
  }
  return events
}
