import { verifyAudit } from '@cool-ai/beach-channel/audit'
import { jsonResponse } from '@cool-ai/beach-channel/http'
import { adminScope, lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'
import { paged, Query } from './query.ts'

const page = /^(?:\d{1,12}|\d{13}\.\d{1,15})$/
const hash = /^[0-9a-f]{64}$/

/** The record: who saw, decided, changed and erased. */
export function auditRoutes({ agent, audit, store }: AnswerContext): readonly OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: 'audit',
      scope: lookScope,
      summary: 'Who saw, decided, changed and erased, newest first',
      query: paged,
      async answer({ request, by }) {
        const query = new Query(request)
        const after = query.text('after')
        if (after !== undefined && !page.test(after)) {
          throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
        }
        return jsonResponse(await audit.list(by.tenant, after, query.limit(200)))
      },
    },
    {
      method: 'GET',
      path: 'audit/verify',
      scope: lookScope,
      summary: 'Whether the record is as it was written: the first entry that is not',
      query: { expected: 'The hash of an entry that was kept elsewhere.' },
      async answer({ request, by }) {
        const expected = new Query(request).text('expected')
        if (expected !== undefined && !hash.test(expected)) {
          throw new BeachError('BAD_REQUEST', '`expected` is the hash of an entry: 64 hexadecimal digits.')
        }
        const [result] = await verifyAudit(store, { tenant: by.tenant, expected })
        return jsonResponse(result)
      },
    },
    {
      method: 'GET',
      path: 'audit/export',
      scope: adminScope,
      summary: 'The whole record as a file',
      query: { format: '`jsonl`, or `syslog` for lines of RFC 5424; `jsonl` when left out.' },
      type: ['application/x-ndjson', 'text/plain'],
      async answer({ request, by }) {
        const format = new Query(request).text('format') ?? 'jsonl'
        if (format !== 'jsonl' && format !== 'syslog') {
          throw new BeachError('BAD_REQUEST', '`format` is `jsonl` or `syslog`.')
        }
        await audit.act(by, 'audit.export', { detail: format })
        const { syslogLine } = await import('@cool-ai/beach-channel/audit/syslog')
        const entries = audit.entries(by.tenant)
        const encoder = new TextEncoder()
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            const { done, value } = await entries.next()
            if (done === true) return controller.close()
            const line = format === 'jsonl' ? JSON.stringify(value) : syslogLine(value, by.tenant, agent.id)
            controller.enqueue(encoder.encode(`${line}\n`))
          },
          cancel: async () => void (await entries.return(undefined)),
        })
        const type = format === 'jsonl' ? 'application/x-ndjson' : 'text/plain; charset=utf-8'
        const headers = {
          'cache-control': 'no-store',
          'content-disposition': `attachment; filename="audit.${format === 'jsonl' ? 'jsonl' : 'log'}"`,
          'content-type': type,
          'x-content-type-options': 'nosniff',
        }
        return new Response(body, { headers })
      },
    },
  ]
}
