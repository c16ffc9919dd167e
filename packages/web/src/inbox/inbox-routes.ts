import type { VouchedPerson } from '@cool-ai/beach-channel/auth'
import { requireDecided } from '@cool-ai/beach-channel'
import { decisionIn } from '@cool-ai/beach-channel/pages'
import { jsonResponse, readBytes, readJson } from '@cool-ai/beach-channel/http'
import {
  BeachError,
  isBeachError,
  type Authenticator,
  type Decision,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'
import type { Secret } from '@cool-ai/beach-core/tokens'
import { approvalAnswerSchema } from '@cool-ai/beach-protocol'
import type { InboxOptions } from './inbox-options.ts'
import { inboxPage, problemPage, strangerPage } from './inbox-page.ts'
import type { OtherDecided } from './other-inboxes.ts'

export interface InboxRoutesOptions {
  readonly runtime: Runtime
  readonly sessions: Pick<Sessions, 'approvals' | 'decide'>
  readonly authenticate: Authenticator
  readonly agent: { readonly id: string; readonly name: string }
  readonly secret: Secret
  /** The other agents of this inbox. */
  readonly inbox?: InboxOptions | undefined
  /** Where people sign in, to come back to a path; absent where the agent's page gives them an identity. */
  readonly signIn?: ((request: Request, to: string) => Promise<string | undefined>) | undefined
  /** Ends the connections to other agents. */
  readonly signal: AbortSignal
}

type Params = Readonly<Record<string, string>>

const formType = 'application/x-www-form-urlencoded'
const maxFormBytes = 32_768
const decisionBody = approvalAnswerSchema.omit({ approvalId: true })

/** Who calls: a person, or another agent for a person. */
type Caller = Pick<VouchedPerson, 'principal'> & Partial<VouchedPerson>

/** What waits for the caller's decision here and at other agents, and a decision on one of it. */
export async function inboxAnswers(options: InboxRoutesOptions) {
  const { runtime, sessions, authenticate, agent, inbox } = options
  // Loaded for agents that have an inbox with others only.
  const joined = inbox && (await import('./joined-inboxes.ts')).joinedInboxes({ ...options, ...inbox })
  const others = joined?.others
  const identify = async (request: Request): Promise<Caller | undefined> =>
    (await joined?.vouched?.(request)) ?? (await askAuthenticator(authenticate, request))
  const caller = async (request: Request): Promise<Caller> => {
    const known = await identify(request)
    if (known !== undefined) return known
    throw new BeachError('UNAUTHENTICATED', 'Sign in first: open the agent’s page, or send `Authorization: Bearer`.')
  }
  const forForms = (request: Request, page: string, answer: () => Promise<Response>) =>
    answer().catch((error: unknown) => {
      // A person who used a form reads on a page what is wrong with it.
      if (!isForm(request) || !wantsPage(request) || !isBeachError(error, 'BAD_REQUEST')) throw error
      return problemPage(agent.name, error.message, page)
    })
  return {
    async list(request: Request): Promise<Response> {
      const url = new URL(request.url)
      const isPage = wantsPage(request)
      const known = isPage ? await identify(request) : await caller(request)
      if (known === undefined) {
        const location = await options.signIn?.(request, '/approvals')
        return location === undefined
          ? strangerPage(agent.name)
          : new Response(null, { status: 303, headers: { location } })
      }
      const after = url.searchParams.get('after') ?? undefined
      // Another agent that asks has an inbox itself; and the others' are on the first page.
      const isJoined = known.agent === undefined && after === undefined
      const [own, there] = await Promise.all([
        sessions.approvals({ after }, known.principal),
        isJoined ? others?.list(known.principal) : undefined,
      ])
      if (!isPage) return jsonResponse(there === undefined ? own : { ...own, agents: there })
      return inboxPage({ name: agent.name, own, others: there, done: url.searchParams.get('done') })
    },
    async decide(request: Request, { approvalId = '' }: Params): Promise<Response> {
      const { principal, agent: from } = await caller(request)
      const via = from === undefined ? 'sse' : `inbox:${from}`
      const answer = async () => {
        const made = await readDecision(request, runtime, principal)
        const decided = await sessions.decide(approvalId, { ...made, via }, principal)
        if (isForm(request)) return backTo('../approvals', made, decided)
        requireDecided(decided)
        return jsonResponse({ status: 'decided' })
      }
      return forForms(request, '../approvals', answer)
    },
    async decideThere(request: Request, { agent: at = '', approvalId = '' }: Params): Promise<Response> {
      const known = await caller(request)
      const name = others?.nameOf(at)
      // Decisions are passed on once: by the agent that the person speaks with.
      if (others === undefined || name === undefined || known.agent !== undefined) {
        throw new BeachError('NOT_FOUND', `This agent's inbox does not show those of an agent '${at}'.`)
      }
      const answer = async () => {
        const made = await readDecision(request, runtime, known.principal)
        const decided = await others.decide(at, approvalId, made, known.principal)
        if (isForm(request)) return backTo('../../../approvals', made, decided)
        requireDecidedThere(decided, name)
        return jsonResponse({ status: 'decided' })
      }
      return forForms(request, '../../../approvals', answer)
    },
    async keys(): Promise<Response> {
      if (joined?.keySet === undefined) throw new BeachError('NOT_FOUND', 'This inbox shows no other agents.')
      return jsonResponse(await joined.keySet())
    },
  }
}

function wantsPage(request: Request): boolean {
  return request.headers.get('accept')?.includes('text/html') === true
}

function isForm(request: Request): boolean {
  return request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === formType
}

function readDecision(request: Request, runtime: Runtime, by: Principal): Promise<Decision> {
  return isForm(request) ? formDecision(request, runtime) : jsonDecision(request, runtime, by)
}

async function jsonDecision(request: Request, { clock }: Runtime, by: Principal): Promise<Decision> {
  const parsed = decisionBody.safeParse(await readJson(request, { clock, caller: by }))
  if (parsed.success) return parsed.data
  throw new BeachError('BAD_REQUEST', 'An approval takes `decision`, "granted" or "denied", and an optional `reason`.')
}

async function formDecision(request: Request, { clock }: Runtime): Promise<Decision> {
  const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(request, maxFormBytes, { clock })))
  const names = [...fields.keys()]
  if (new Set(names).size === names.length) return decisionIn(Object.fromEntries(fields))
  throw new BeachError('BAD_REQUEST', 'Each field of the form may be sent once.')
}

/** Back to the page, which says what became of the decision. */
function backTo(page: string, { decision }: Decision, decided: OtherDecided): Response {
  const done = decided === 'decided' ? decision : decided
  return new Response(null, { status: 303, headers: { location: `${page}?done=${done}` } })
}

function requireDecidedThere(decided: OtherDecided, name: string): void {
  switch (decided) {
    case 'invalid':
      throw new BeachError('BAD_REQUEST', `${name} does not take this decision: its arguments do not fit the request.`)
    case 'refused':
      throw new BeachError('FORBIDDEN', `${name} takes no decisions from this agent. Decide there.`)
    case 'unknown':
      throw new BeachError(
        'UNREACHABLE',
        `${name} did not answer: the decision may have arrived. Look at the inbox again.`,
      )
    default:
      requireDecided(decided)
  }
}
