import { errorResponse, jsonResponse } from '@cool-ai/beach-channel/http'
import { discard, listPutAside, requeue } from '@cool-ai/beach-channel/people'
import {
  BeachError,
  type Authenticator,
  type Channel,
  type Principal,
  type Runtime,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import { askAuthenticator, type SessionQuery } from '@cool-ai/beach-core/ports'
import { Hono } from 'hono'

export interface OperatorRouteOptions {
  readonly runtime: Runtime
  readonly store: Store
  readonly sessions: Pick<Sessions, 'deadLetters' | 'redeliver'>
  /** By a credential that no page sends by itself: cookies do not count here. */
  readonly authenticate: Authenticator
}

const lettersPath = '/operator/dead-letters'
const letterPath = '/operator/dead-letters/:session/:delivery'
const asidePath = '/operator/put-aside'
const messagePath = '/operator/put-aside/:transport/:id'

/** What operators look after: answers that were given up, and messages that could not be dealt with. */
export function operatorRoute(options: OperatorRouteOptions): Pick<Channel, 'paths' | 'fetch'> {
  const { runtime, store, sessions } = options
  const app = new Hono()
  const operator = (request: Request) => operatorOf(options.authenticate, request)

  app.get(lettersPath, async ({ req }) => {
    const by = await operator(req.raw)
    return jsonResponse(await sessions.deadLetters(queryOf(req.url), by))
  })
  app.post(letterPath, async ({ req }) => {
    const by = await operator(req.raw)
    const isSent = await sessions.redeliver(req.param('session'), req.param('delivery'), by)
    if (!isSent) throw new BeachError('NOT_FOUND', 'There is no such dead letter, or its addressee has left.')
    return jsonResponse({ status: 'queued' }, 202)
  })
  app.get(asidePath, async ({ req }) => {
    const { tenant } = await operator(req.raw)
    return jsonResponse(await listPutAside(store, tenant, queryOf(req.url)))
  })
  app.post(messagePath, async ({ req }) => {
    const { tenant } = await operator(req.raw)
    if (!(await requeue(store, { tenant, ...req.param() }))) throw notParked()
    return jsonResponse({ status: 'queued' }, 202)
  })
  app.delete(messagePath, async ({ req }) => {
    const { tenant } = await operator(req.raw)
    if (!(await discard(store, { tenant, ...req.param() }))) throw notParked()
    return new Response(null, { status: 204 })
  })
  for (const [path, allow] of [
    [lettersPath, 'GET'],
    [letterPath, 'POST'],
    [asidePath, 'GET'],
    [messagePath, 'POST, DELETE'],
  ] as const) {
    app.all(path, () => {
      throw new BeachError('METHOD_NOT_ALLOWED', `Use ${allow} here.`, { details: { allow } })
    })
  }
  app.onError((error) => errorResponse(error, runtime.logger))

  return {
    paths: [lettersPath, letterPath, asidePath, messagePath],
    fetch: async (request) => app.fetch(request),
  }
}

async function operatorOf(authenticate: Authenticator, request: Request): Promise<Principal> {
  const principal = (await askAuthenticator(authenticate, request))?.principal
  if (principal === undefined) {
    throw new BeachError('UNAUTHENTICATED', 'Send the credential of an operator, such as an API key.')
  }
  if (principal.kind !== 'operator') throw new BeachError('FORBIDDEN', 'This is for operators only.')
  return principal
}

function queryOf(url: string): SessionQuery {
  const { searchParams } = new URL(url)
  const [after, limit] = [searchParams.get('after'), searchParams.get('limit')]
  if (limit !== null && !/^[1-9]\d{0,4}$/.test(limit)) {
    throw new BeachError('BAD_REQUEST', '`limit` is a number above 0.')
  }
  return { ...(after !== null && { after }), ...(limit !== null && { limit: Number(limit) }) }
}

function notParked(): BeachError {
  return new BeachError('NOT_FOUND', 'No such message was put aside.')
}
