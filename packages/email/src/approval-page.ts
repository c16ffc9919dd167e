import { errorResponse } from '@cool-ai/beach-channel/http'
import {
  approvalHtml,
  changesHtml,
  decidedHtml,
  decisionFieldsHtml,
  decisionIn,
  isDecisionField,
  plainPage,
  problemHtml,
} from '@cool-ai/beach-channel/pages'
import { approvalRecord, type DecisionFrame } from '@cool-ai/beach-channel/people'
import { BeachError, isBeachError, type Decision, type Runtime, type Sessions } from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import type { AskedApproval } from '@cool-ai/beach-protocol'
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
    const { approvalId, principal, session } = grant
    const fields = await formFields(request, place, isDecisionField)
    let decision: Decision
    let decided: Decided
    try {
      decision = decisionIn(fields)
      decided = await this.#sessions.decide(approvalId, { ...decision, via: 'smtp' }, principal, session)
    } catch (error) {
      if (!isBeachError(error, 'BAD_REQUEST')) throw error
      return this.#ask(grant, place, error.message)
    }
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
      asked === undefined ? '' : `<h2>${escapeHtml(asked.title)}</h2>${requestHtml(asked, decision)}`,
    ].join('')
  }

  async #grant(token: string): Promise<TokenGrant | undefined> {
    // Without a public address no mail links to the page.
    if (this.#context.options.publicUrl === undefined || !isToken(token)) return undefined
    const grant = await this.#context.records.grant(tokenHash(token))
    return grant !== undefined && isTokenFor(this.#context.tokens, token, grant) ? grant : undefined
  }

  /** The request with its form; `problem` says why what the form sent last was not taken. */
  async #ask({ session, approvalId, tenant }: TokenGrant, form: FormContext, problem?: string): Promise<Response> {
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
        (decision === undefined ? textHtml(decisionTexts.already) : decidedHtml(decision)) +
          requestHtml(asked, decision),
      )
    }
    const wrong = problem === undefined ? '' : problemHtml(problem)
    const body = `${approvalHtml(asked)}${wrong}<form method="post">${await formField(form)}${decisionFieldsHtml(asked)}</form>`
    const status = problem === undefined ? 200 : 400
    return plainPage({ status, from: this.#context.options.name, title: `${title}?`, body, isAsking: true })
  }

  #page(status: number, title: string, body: string): Response {
    return plainPage({ status, from: this.#context.options.name, title, body })
  }
}

/** A request that was decided, with what was changed of it. */
function requestHtml(asked: AskedApproval, decision: DecisionFrame | undefined): string {
  return approvalHtml(asked, false) + (decision === undefined ? '' : changesHtml(asked, decision))
}

function textHtml(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}
