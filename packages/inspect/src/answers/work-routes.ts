import { jsonResponse, readJson } from '@cool-ai/beach-channel/http'
import { discard, listPutAside, requeue } from '@cool-ai/beach-channel/people'
import { actScope, lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { z } from 'zod'
import { redacted } from '../redact.ts'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { paged, Query } from './query.ts'
import { parsed } from './session-routes.ts'

const decisionSchema = z
  .object({ decision: z.enum(['granted', 'denied']), reason: z.string().max(2_000).optional() })
  .strict()

/** What waits for an operator: approvals, dead letters, and messages that were put aside. */
export function workRoutes({ audit, store, sessions }: AnswerContext): readonly OperatorRoute[] {
  const page = (request: Request) => {
    const query = new Query(request)
    return defined({ after: query.text('after'), limit: query.limit(200) })
  }
  return [
    {
      method: 'GET',
      path: 'approvals',
      scope: lookScope,
      summary: 'Requests that the operator may decide',
      query: paged,
      async answer({ request, by }) {
        await audit.look(by, 'approvals')
        return jsonResponse(redacted(await sessions().approvals(page(request), by)))
      },
    },
    {
      method: 'POST',
      path: 'approvals/:id',
      scope: actScope,
      summary: 'Decides a request',
      body: {
        type: 'object',
        required: ['decision'],
        properties: { decision: { enum: ['granted', 'denied'] }, reason: { type: 'string' } },
      },
      async answer({ request, by, params: { id = '' } }) {
        const { decision, reason } = parsed(decisionSchema, await readJson(request, { caller: by }))
        await audit.act(by, 'approval.decide', { detail: `${id}: ${decision}` })
        const made = defined({ decision, reason, via: 'inspect', dedupeKey: `inspect:${id}:${by.id}:${decision}` })
        const status = await sessions().decide(id, made, by)
        if (status === 'decided') return jsonResponse({ status, approvalId: id, decision })
        if (status === 'already') throw new BeachError('ALREADY_DECIDED', 'This request was decided before.')
        if (status === 'expired') throw new BeachError('EXPIRED', 'This request has expired.')
        throw new BeachError('NOT_FOUND', 'There is no such request, or you are none of its approvers.')
      },
    },
    {
      method: 'GET',
      path: 'dead-letters',
      scope: lookScope,
      summary: 'Deliveries that were given up',
      query: paged,
      async answer({ request, by }) {
        await audit.look(by, 'dead-letters')
        return jsonResponse(redacted(await sessions().deadLetters(page(request), by)))
      },
    },
    {
      method: 'POST',
      path: 'dead-letters/:session/:delivery',
      scope: actScope,
      summary: 'Sends a dead letter again',
      status: 202,
      async answer({ by, params: { session = '', delivery = '' } }) {
        await audit.act(by, 'delivery.retry', { session, detail: delivery })
        if (await sessions().redeliver(session, delivery, by)) return jsonResponse({ status: 'queued' }, 202)
        throw new BeachError('NOT_FOUND', 'There is no such dead letter, or its addressee has left.')
      },
    },
    {
      method: 'GET',
      path: 'put-aside',
      scope: lookScope,
      summary: 'Messages that could not be dealt with',
      query: paged,
      async answer({ request, by }) {
        await audit.look(by, 'put-aside')
        return jsonResponse(redacted(await listPutAside(store, by.tenant, page(request))))
      },
    },
    ...(['POST', 'DELETE'] as const).map((method): OperatorRoute => {
      const isRetry = method === 'POST'
      return {
        method,
        path: 'put-aside/:transport/:id',
        scope: actScope,
        summary: isRetry ? 'Tries a put-aside message again' : 'Throws a put-aside message away',
        status: isRetry ? 202 : 204,
        async answer({ by, params: { transport = '', id = '' } }) {
          await audit.act(by, isRetry ? 'put-aside.retry' : 'put-aside.discard', { detail: `${transport}: ${id}` })
          const name = { tenant: by.tenant, transport, id }
          const isDone = await (isRetry ? requeue(store, name) : discard(store, name))
          if (!isDone) throw new BeachError('NOT_FOUND', 'No such message was put aside.')
          return isRetry ? jsonResponse({ status: 'queued' }, 202) : new Response(null, { status: 204 })
        },
      }
    }),
  ]
}
