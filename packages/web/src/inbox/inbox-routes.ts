import { jsonResponse, readBytes, readJson } from '@cool-ai/beach-channel/http'
import { requireDecided } from '@cool-ai/beach-channel'
import { approvalHtml, plainPage } from '@cool-ai/beach-channel/pages'
import {
  BeachError,
  type Authenticator,
  type Decision,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { askAuthenticator, type Page, type PendingApproval } from '@cool-ai/beach-core/ports'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { approvalAnswerSchema, askedApproval } from '@cool-ai/beach-protocol'

export interface InboxRoutesOptions {
  readonly runtime: Runtime
  readonly sessions: Pick<Sessions, 'approvals' | 'decide'>
  readonly authenticate: Authenticator
  /** The agent's name. */
  readonly name: string
}

type Params = Readonly<Record<string, string>>

const formType = 'application/x-www-form-urlencoded'
const maxFormBytes = 8_192
const decisionBody = approvalAnswerSchema.omit({ approvalId: true })

/** What waits for the caller's decision, and a decision on one of it. */
export function inboxAnswers({ runtime, sessions, authenticate, name }: InboxRoutesOptions) {
  const caller = async (request: Request): Promise<Principal> => {
    const principal = (await askAuthenticator(authenticate, request))?.principal
    if (principal !== undefined) return principal
    throw new BeachError('UNAUTHENTICATED', 'Sign in first: open the agent’s page, or send `Authorization: Bearer`.')
  }
  return {
    async list(request: Request): Promise<Response> {
      const url = new URL(request.url)
      if (wantsPage(request) && (await askAuthenticator(authenticate, request)) === undefined) return strangerPage(name)
      const by = await caller(request)
      const page = await sessions.approvals({ after: url.searchParams.get('after') ?? undefined }, by)
      if (!wantsPage(request)) return jsonResponse(page)
      return inboxPage(page, name, url.searchParams.get('done'))
    },
    async decide(request: Request, { approvalId = '' }: Params): Promise<Response> {
      const by = await caller(request)
      const isForm = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === formType
      const made = isForm ? await formDecision(request, runtime) : await jsonDecision(request, runtime, by)
      const decided = await sessions.decide(approvalId, { ...made, via: 'sse' }, by)
      if (!isForm) {
        requireDecided(decided)
        return jsonResponse({ status: 'decided' })
      }
      const done = decided === 'decided' ? made.decision : decided
      return new Response(null, { status: 303, headers: { location: `../approvals?done=${done}` } })
    },
  }
}

/** For a browser that the agent does not know: its page gives it an identity. */
function strangerPage(from: string): Response {
  const body = '<p>The agent does not know this browser. Open the agent’s page first, or sign in.</p>'
  return plainPage({
    status: 401,
    from,
    home,
    title: 'Your decisions',
    body: `${body}<p><a href="${home}">Open the page</a></p>`,
  })
}

// Relative, because an agent can be under a path of its own.
const home = './'

function wantsPage(request: Request): boolean {
  return request.headers.get('accept')?.includes('text/html') === true
}

async function jsonDecision(request: Request, { clock }: Runtime, by: Principal): Promise<Decision> {
  const parsed = decisionBody.safeParse(await readJson(request, { clock, caller: by }))
  if (parsed.success) return parsed.data
  throw new BeachError('BAD_REQUEST', 'An approval takes `decision`, "granted" or "denied", and an optional `reason`.')
}

async function formDecision(request: Request, { clock }: Runtime): Promise<Decision> {
  const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(request, maxFormBytes, { clock })))
  const { reason = '', ...rest } = Object.fromEntries(fields)
  const parsed = decisionBody.safeParse(reason.trim() === '' ? rest : { ...rest, reason: reason.trim() })
  if (parsed.success && new Set(fields.keys()).size === [...fields.keys()].length) return parsed.data
  throw new BeachError('BAD_REQUEST', 'Send `decision=granted` or `decision=denied`, and an optional `reason`.')
}

const notices: Readonly<Record<string, string>> = {
  granted: 'Approved.',
  denied: 'Denied.',
  already: 'That one had been decided before.',
  expired: 'That one had expired, and counts as denied.',
  notFound: 'That one is not there any more.',
}

function inboxPage({ items, next }: Page<PendingApproval>, from: string, done: string | null): Response {
  const notice = notices[done ?? '']
  const list = items.map((item) => itemHtml(item)).join('')
  const body = [
    notice === undefined ? '' : `<p role="status">${notice}</p>`,
    items.length === 0 ? '<p>Nothing waits for your decision.</p>' : `<ul>${list}</ul>`,
    next === undefined ? '' : `<p><a href="approvals?after=${encodeURIComponent(next)}">More</a></p>`,
  ].join('')
  return plainPage({ from, home, title: titleOf(items.length), body, isAsking: items.length > 0 })
}

function titleOf(count: number): string {
  if (count === 0) return 'Your decisions'
  return count === 1 ? 'One decision waits for you' : `${count} decisions wait for you`
}

/** Requests that only operators decide are listed for operators only, so each of them has buttons. */
function itemHtml({ approvalId, part }: PendingApproval): string {
  const asked = askedApproval(part)
  if (asked === undefined) return ''
  const id = escapeHtml(encodeURIComponent(approvalId))
  return [
    `<li><h2>${escapeHtml(asked.title)}?</h2>${approvalHtml(asked)}`,
    `<form method="post" action="approvals/${id}"><label>Reason (optional)<input name="reason" maxlength="2000"></label>`,
    '<div class="choices"><button class="primary" name="decision" value="granted">Approve</button>',
    '<button name="decision" value="denied">Deny</button></div></form></li>',
  ].join('')
}
