import { jsonResponse, readJson } from '@cool-ai/beach-channel/http'
import { adminScope, lookScope } from '@cool-ai/beach-channel/rights'
import type { AnswerContext, OperatorRoute } from './answer-context.ts'

const text = { type: 'string' }

/** Tokens that were taken back. */
export function accessRoutes({ audit, revocations }: AnswerContext): readonly OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: 'revocations',
      scope: lookScope,
      summary: 'What was taken back of tokens, newest first',
      async answer({ by }) {
        await audit.look(by, 'revocations')
        return jsonResponse({ items: await revocations.list(by.tenant) })
      },
    },
    {
      method: 'POST',
      path: 'revocations',
      scope: adminScope,
      summary:
        'Takes tokens back: those of a session’s owner, of a principal (`kind~id`), or of one login by its token',
      body: { type: 'object', properties: { session: text, principal: text, token: text } },
      async answer({ request, by }) {
        const asked = await readJson(request, { caller: by })
        const target = await revocations.revoke(asked, by)
        await audit.act(by, 'token.revoke', { detail: target })
        return jsonResponse({ status: 'revoked', target })
      },
    },
  ]
}
