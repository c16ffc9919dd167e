import { errorResponse } from '@cool-ai/beach-channel/http'
import { approvalHtml, decidedHtml, plainPage } from '@cool-ai/beach-channel/pages'
import { approvalRecord } from '@cool-ai/beach-channel/people'
import { BeachError, type Decision, type Runtime, type Sessions } from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { isToken, isTokenFor, tokenHash, type TokenGrant } from './approval-token.ts'
import type { EmailContext } from './email-context.ts'
import { escapeHtml } from './markdown-html.ts'
import { formField, formFields, type FormContext } from './page-form.ts'

/** The address of the page for a token. */
export const approvalPagePath = '/approvals/by-mail/:token'

const decisionTexts: Readonly<Record<Decided, string>> = {
  decided: 'Your decision counts.',
  already: 'This approval has already been decided, or is no longer needed.',
  expired: 'This approval has expired, and counts as denied.',
  notFound: 'There is no such approval, or it is not yours to decide.',
}

const doneTexts = { granted: 'Approved', denied: 'Denied' } as const

/** The page that a request's mail links to. Opening it decides nothing, since programs that check mail open it too. */
export class ApprovalPage {
  readonly #context: EmailContext
  readonly #sessions: Sessions

  constructor(context: EmailContext) {
    this.#context = context
    this.#sessions = context.options.sessions
  }

  async fetch(request: Request): Promise<Response> {
    const { runtime } = this.#context
    try {
      return await this.#answer(request, runtime)
    } catch (error) {
      return errorResponse(error, runtime)
    }
  }

  async #answer(request: Request, { clock }: Runtime): Promise<Response> {
    const token = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const grant = await this.#grant(token)
    if (grant === undefined) {
      const text = 'This link is not whole, or not valid any more. Open it from the mail again, or reply to the mail.'
      return this.#page(404, 'There is no such request', textHtml(text))
    }
    const place = { forms: this.#context.forms, token, clock }
    if (request.method === 'GET' || request.method === 'HEAD') return this.#ask(grant, place)
    if (request.method !== 'POST') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET or POST here.', { details: { allow: 'GET, POST' } })
    }
    if (grant.expiresAt !== undefined && grant.expiresAt <= clock.now())
      return this.#page(410, 'Expired', await this.#outcome(grant, 'expired'))
    const decision = await decisionOf(request, place)
    const { approvalId, principal, session } = grant
    const decided = await this.#sessions.decide(approvalId, { ...decision, via: 'smtp' }, principal, session)
    const title = decided === 'decided' ? doneTexts[decision.decision] : 'Your decision came too late'
    return this.#page(decided === 'decided' ? 200 : 409, title, await this.#outcome(grant, decided))
  }

  /** What has come of a request, and what it was about; for a decision that came too late, how it was decided before. */
  async #outcome({ approvalId, session, tenant }: TokenGrant, decided: Decided): Promise<string> {
    const place = { approvalId, session, tenant, transport: 'email' }
    const { asked, decision } = await approvalRecord(this.#sessions, place)
    const isLate = decided === 'already' && decision !== undefined
    return [
      isLate ? decidedHtml(decision) : textHtml(decisionTexts[decided]),
      asked === undefined ? '' : `<h2>${escapeHtml(asked.title)}</h2>${approvalHtml(asked)}`,
    ].join('')
  }

  async #grant(token: string): Promise<TokenGrant | undefined> {
    // Without a public address no mail links to the page.
    if (this.#context.options.publicUrl === undefined || !isToken(token)) return undefined
    const grant = await this.#context.records.grant(tokenHash(token))
    return grant !== undefined && isTokenFor(this.#context.tokens, token, grant) ? grant : undefined
  }

  async #ask({ session, approvalId, tenant }: TokenGrant, form: FormContext): Promise<Response> {
    const principal = { kind: 'operator', id: 'email', tenant } as const
    const { turn } = await this.#sessions.view(session, principal)
    const place = { approvalId, session, tenant, transport: 'email' }
    const { asked, decision } = await approvalRecord(this.#sessions, place)
    if (asked === undefined) return this.#page(200, 'Nothing to decide', textHtml(decisionTexts.already))
    const { title } = asked
    if (turn?.pendingApprovals.includes(approvalId) !== true) {
      return this.#page(
        200,
        title,
        (decision === undefined ? textHtml(decisionTexts.already) : decidedHtml(decision)) + approvalHtml(asked),
      )
    }
    const body = approvalHtml(asked) + (await decisionForm(form))
    return plainPage({ from: this.#context.options.name, title: `${title}?`, body, isAsking: true })
  }

  #page(status: number, title: string, body: string): Response {
    return plainPage({ status, from: this.#context.options.name, title, body })
  }
}

function textHtml(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}

const maxReasonLength = 500

/** The two buttons. */
async function decisionForm(place: FormContext): Promise<string> {
  return [
    `<form method="post">${await formField(place)}`,
    `<label>Reason (optional)<input name="reason" maxlength="${maxReasonLength}"></label>`,
    '<div class="choices"><button class="primary" name="decision" value="granted">Approve</button>',
    '<button name="decision" value="denied">Deny</button></div></form>',
  ].join('')
}

async function decisionOf(request: Request, place: FormContext): Promise<Decision> {
  const { decision, reason = '' } = await formFields(request, place, ['decision', 'reason'])
  if (reason.length > maxReasonLength) throw new BeachError('BAD_REQUEST', 'The reason is too long.')
  if (decision === 'granted' || decision === 'denied') return defined({ decision, reason: reason.trim() || undefined })
  throw new BeachError('BAD_REQUEST', 'Say `decision=granted` or `decision=denied`.')
}
