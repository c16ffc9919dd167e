import { jsonResponse } from '@cool-ai/beach-channel/http'
import { actScope, adminScope, holdsScope, lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import { durationClasses } from '../metrics/buckets.ts'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { Query } from './query.ts'

const maxLeases = 500
const hourMs = 60 * 60_000
const maxSpanMs = 31 * 24 * hourMs

/** The agent as a whole: who is asking, its processes, and what happened over time. */
export function agentRoutes(context: AnswerContext): readonly OperatorRoute[] {
  const { agent, follower, index, metrics, models, modelActors, runtime, store } = context
  return [
    {
      method: 'GET',
      path: 'me',
      scope: lookScope,
      summary: 'The operator who calls',
      async answer({ by }) {
        const may = (scope: string) => holdsScope(by, scope)
        const who = {
          operator: by.id,
          tenant: by.tenant,
          mayAct: may(actScope),
          mayAdmin: may(adminScope),
          agent: { id: agent.id, name: agent.name },
        }
        return jsonResponse({ ...who, models, modelActors })
      },
    },
    {
      method: 'GET',
      path: 'processes',
      scope: lookScope,
      summary: 'Processes on the store and their leases',
      async answer({ by }) {
        const hosts = (await store.hosts?.(maxLeases)) ?? { processes: [], leases: [] }
        await follower.caughtUp()
        // Which sessions other tenants have is not shown.
        const rows = await Promise.all(
          hosts.leases.map(async (lease) => ({ lease, row: await index.row(lease.session) })),
        )
        const leases = rows.filter(({ row }) => row?.tenant === by.tenant)
        const items = leases.map(({ lease, row }) => ({ ...lease, title: row?.title, state: row?.state }))
        return jsonResponse({ now: runtime.clock.now(), processes: hosts.processes, leases: items })
      },
    },
    {
      method: 'GET',
      path: 'metrics',
      scope: lookScope,
      summary: 'What happened over time',
      query: { from: 'The first time.', to: 'The last time.', points: 'At most so many points.' },
      async answer({ request, by }) {
        const query = new Query(request)
        const to = query.time('to') ?? runtime.clock.now()
        const from = query.time('from') ?? to - 24 * hourMs
        if (from >= to || to - from > maxSpanMs) {
          throw new BeachError('BAD_REQUEST', '`from` comes before `to`, by at most 31 days.')
        }
        const points = Math.min(query.number('points') ?? 96, 500)
        await follower.caughtUp()
        return jsonResponse({
          classes: durationClasses,
          items: await metrics.points(by.tenant, from, to, Math.max(1, points)),
        })
      },
    },
  ]
}
