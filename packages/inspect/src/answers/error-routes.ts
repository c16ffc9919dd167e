import { jsonResponse } from '@cool-ai/beach-channel/http'
import { lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import { isPlace } from '../hourly/hourly-log.ts'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { paged, Query } from './query.ts'

/** The errors that callers were told of, by the ids in their answers. */
export function errorRoutes({ audit, errors }: AnswerContext): readonly OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: 'errors',
      scope: lookScope,
      summary: 'Errors that callers were told of, newest first',
      query: paged,
      async answer({ request, by }) {
        const query = new Query(request)
        const after = query.text('after')
        if (after !== undefined && !isPlace(after)) {
          throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
        }
        await audit.look(by, 'errors')
        return jsonResponse(await errors.list(by.tenant, after, query.limit(200)))
      },
    },
    {
      method: 'GET',
      path: 'errors/:id',
      scope: lookScope,
      summary: 'The error of an id, which its answer had',
      async answer({ by, params: { id = '' } }) {
        await audit.look(by, 'error', { detail: id.slice(0, 100) })
        const entry = await errors.find(by.tenant, id)
        if (entry !== undefined) return jsonResponse(entry)
        throw new BeachError(
          'NOT_FOUND',
          'This error is not on record: it is older than a week, there were many of its kind, or the id is another one.',
        )
      },
    },
  ]
}
