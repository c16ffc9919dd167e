import type { AuditLog } from '@cool-ai/beach-channel/audit'
import { jsonResponse } from '@cool-ai/beach-channel/http'
import { actScope, lookScope, requireOperator } from '@cool-ai/beach-channel/rights'
import { BeachError, type Authenticator, type Principal, type Sessions, type Store } from '@cool-ai/beach-core'
import { askAuthenticator, type SessionQuery } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'

/** What operators can look at and change. */
export interface OperatorRoutesOptions {
  readonly store: Store
  readonly sessions: Pick<Sessions, 'deadLetters' | 'redeliver' | 'tracedTurns'>
  /** By a credential that no page sends by itself: cookies do not count here. */
  readonly authenticate: Authenticator
  /** Where looks and actions of operators are put on record. */
  readonly audit: Pick<AuditLog, 'look' | 'act'>
}

/** Loaded with the first request of an operator: most agents have no channel that puts messages aside. */
const people = () => import('@cool-ai/beach-channel/people')

type Params = Readonly<Record<string, string>>

/** For operators: answers that were given up, and messages that could not be handled. */
export function operatorAnswers(options: OperatorRoutesOptions) {
  const { store, sessions, audit } = options
  const operator = (request: Request) => operatorOf(options.authenticate, request)
  return {
    async deadLetters(request: Request): Promise<Response> {
      const by = await operator(request)
      await audit.look(by, 'dead-letters')
      return jsonResponse(await sessions.deadLetters(queryOf(request.url), by))
    },
    async redeliver(request: Request, { session = '', delivery = '' }: Params): Promise<Response> {
      const by = await operator(request)
      await audit.act(by, 'delivery.retry', { session, detail: delivery })
      const isSent = await sessions.redeliver(session, delivery, by)
      if (!isSent) throw new BeachError('NOT_FOUND', 'There is no such dead letter, or its addressee has left.')
      return jsonResponse({ status: 'queued' }, 202)
    },
    async traced(request: Request, { traceId = '' }: Params): Promise<Response> {
      const by = await operator(request)
      await audit.look(by, 'trace', { detail: traceId })
      const items = await sessions.tracedTurns(traceId, by)
      if (items.length === 0) throw new BeachError('NOT_FOUND', 'No turn has told of an error under this trace id.')
      return jsonResponse({ items })
    },
    async putAside(request: Request): Promise<Response> {
      const by = await operator(request)
      await audit.look(by, 'put-aside')
      return jsonResponse(await (await people()).listPutAside(store, by.tenant, queryOf(request.url)))
    },
    async requeue(request: Request, { transport = '', id = '' }: Params): Promise<Response> {
      const by = await operator(request)
      await audit.act(by, 'put-aside.retry', { detail: `${transport}: ${id}` })
      if (!(await (await people()).requeue(store, { tenant: by.tenant, transport, id }))) throw notParked()
      return jsonResponse({ status: 'queued' }, 202)
    },
    async discard(request: Request, { transport = '', id = '' }: Params): Promise<Response> {
      const by = await operator(request)
      await audit.act(by, 'put-aside.discard', { detail: `${transport}: ${id}` })
      if (!(await (await people()).discard(store, { tenant: by.tenant, transport, id }))) throw notParked()
      return new Response(null, { status: 204 })
    },
  }
}

/** The operator who asks; refuses every other caller, and one whose roles do not have the scope. */
export async function operatorOf(authenticate: Authenticator, request: Request): Promise<Principal> {
  const principal = (await askAuthenticator(authenticate, request))?.principal
  if (principal === undefined) {
    throw new BeachError('UNAUTHENTICATED', 'Send the credential of an operator, such as an API key.')
  }
  // Operators without roles need no scope here: these routes are older than scopes.
  if (principal.kind === 'operator' && principal.roles === undefined) return principal
  const isLook = request.method === 'GET' || request.method === 'HEAD'
  return requireOperator(principal, isLook ? lookScope : actScope)
}

function queryOf(url: string): SessionQuery {
  const { searchParams } = new URL(url)
  const [after, limit] = [searchParams.get('after'), searchParams.get('limit')]
  if (limit !== null && !/^[1-9]\d{0,4}$/.test(limit)) {
    throw new BeachError('BAD_REQUEST', '`limit` is a number above 0.')
  }
  return defined({ after: after ?? undefined, limit: limit === null ? undefined : Number(limit) })
}

function notParked(): BeachError {
  return new BeachError('NOT_FOUND', 'No such message was put aside.')
}
