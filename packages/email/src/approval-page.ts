import { createHash } from 'node:crypto'
import { errorResponse, readBytes } from '@cool-ai/beach-channel/http'
import {
  BeachError,
  type Clock,
  type Decision,
  type Originator,
  type Part,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import type { Tokens } from '@cool-ai/beach-core/tokens'
import { approvalQuestion, askedApproval } from '@cool-ai/beach-protocol'
import { isToken, isTokenFor, tokenHash, type TokenGrant } from './approval-token.ts'
import type { EmailContext } from './email-context.ts'
import { escapeHtml } from './markdown-html.ts'

/** The address of the page for a token. */
export const approvalPagePath = '/approvals/by-mail/:token'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:2em auto;padding:0 1em}pre{white-space:pre-wrap;background:#f4f5f7;padding:1em}button{font:inherit;padding:.5em 1.5em;margin-right:1em}'
const styleHash = createHash('sha256').update(style).digest('base64')
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  // Not `no-referrer`: browsers then send a form with the origin `null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

const decisionTexts: Readonly<Record<Decided, string>> = {
  decided: 'Your decision was taken.',
  already: 'This approval has already been decided, or is no longer needed.',
  expired: 'This approval has expired, and counts as denied.',
  notFound: 'There is no such approval, or it is not yours to decide.',
}

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
      return errorResponse(error, runtime.logger)
    }
  }

  async #answer(request: Request, { clock }: Runtime): Promise<Response> {
    const token = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const grant = await this.#grant(token)
    if (grant === undefined) return page(404, 'There is no such request', decisionTexts.notFound)
    const place = { forms: this.#context.forms, token, clock }
    if (request.method === 'GET' || request.method === 'HEAD') return this.#ask(grant, place)
    if (request.method !== 'POST') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET or POST here.', { details: { allow: 'GET, POST' } })
    }
    if (grant.expiresAt !== undefined && grant.expiresAt <= clock.now())
      return page(410, 'Expired', decisionTexts.expired)
    const decision = await decisionOf(request, place)
    const { approvalId, principal, session } = grant
    const decided = await this.#sessions.decide(approvalId, { ...decision, via: 'smtp' }, principal, session)
    return page(decided === 'decided' ? 200 : 409, decided === 'decided' ? 'Done' : 'Not taken', decisionTexts[decided])
  }

  async #grant(token: string): Promise<TokenGrant | undefined> {
    // Without a public address no mail links to the page.
    if (this.#context.options.publicUrl === undefined || !isToken(token)) return undefined
    const grant = await this.#context.records.grant(tokenHash(token))
    return grant !== undefined && isTokenFor(this.#context.tokens, token, grant) ? grant : undefined
  }

  async #ask({ session, approvalId, tenant }: TokenGrant, place: FormContext): Promise<Response> {
    const principal = { kind: 'operator', id: 'email', tenant } as const
    const { turn } = await this.#sessions.view(session, principal)
    if (turn?.pendingApprovals.includes(approvalId) !== true)
      return page(200, 'Nothing to decide', decisionTexts.already)
    const reader: Originator = { id: 'email-page', transport: 'sse', deliveryClass: 'streaming', principal }
    for await (const frame of this.#sessions.history(session, reader)) {
      const question = frame.kind === 'part' ? questionOf(frame.part, approvalId) : undefined
      if (question !== undefined) return page(200, 'Approval needed', question, await decisionForm(place))
    }
    return page(200, 'Nothing to decide', decisionTexts.already)
  }
}

function questionOf(part: Part, approvalId: string): string | undefined {
  const asked = askedApproval(part)
  return asked?.request.approvalId === approvalId ? approvalQuestion(asked) : undefined
}

function page(status: number, title: string, text: string, more = ''): Response {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><h1>${escapeHtml(title)}</h1><pre>${escapeHtml(text)}</pre>${more}</body></html>`
  return new Response(html, { status, headers })
}

const formType = 'application/x-www-form-urlencoded'
const maxBodyBytes = 4_096
const validMs = 60 * 60 * 1_000

interface FormContext {
  readonly forms: Tokens
  readonly token: string
  readonly clock: Clock
}

/** The two buttons. The hidden field says that this page has shown them, for this token, within the hour. */
async function decisionForm({ forms, token, clock }: FormContext): Promise<string> {
  const issuedAt = clock.now()
  const form = await forms.sign({ sub: tokenHash(token) }, { issuedAt, expiresAt: issuedAt + validMs })
  return `<form method="post"><input type="hidden" name="form" value="${form}"><button name="decision" value="granted">Approve</button><button name="decision" value="denied">Deny</button></form>`
}

/** The decision by the form of the page. No other form, body or page decides anything. */
async function decisionOf(request: Request, place: FormContext): Promise<Decision> {
  if (request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() !== formType) {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', `Send the form of the page, as \`${formType}\`.`)
  }
  const bytes = await readBytes(request, maxBodyBytes, { clock: place.clock })
  const fields = new URLSearchParams(new TextDecoder().decode(bytes))
  const [names, values] = [[...fields.keys()], Object.fromEntries(fields)]
  if (names.length !== 2 || !(await isOurs(values.form ?? '', place))) {
    throw new BeachError(
      'FORBIDDEN',
      'This is not the form of the page, or it is too old. Open the link of the mail again.',
    )
  }
  const { decision } = values
  if (decision === 'granted' || decision === 'denied') return { decision }
  throw new BeachError('BAD_REQUEST', 'Say `decision=granted` or `decision=denied`.')
}

async function isOurs(form: string, { forms, token }: FormContext): Promise<boolean> {
  const verified = await forms.verify(form)
  return verified.status === 'valid' && verified.claims.sub === tokenHash(token)
}
