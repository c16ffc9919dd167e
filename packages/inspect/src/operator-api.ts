import { lookScope } from '@cool-ai/beach-channel/rights'
import { BeachError } from '@cool-ai/beach-core'
import type { OperatorAccess } from './access/operator-access.ts'
import { accessRoutes } from './answers/access-routes.ts'
import { agentRoutes } from './answers/agent-routes.ts'
import type { AnswerContext, OperatorRoute } from './answers/answer-context.ts'
import { errorRoutes } from './answers/error-routes.ts'
import { auditRoutes } from './answers/audit-routes.ts'
import { evaluationRoutes } from './answers/evaluation-routes.ts'
import { replayRoutes } from './answers/replay-routes.ts'
import { sessionRoutes } from './answers/session-routes.ts'
import { workRoutes } from './answers/work-routes.ts'

/** All routes of the operator API. */
export function operatorRoutes(context: AnswerContext): readonly OperatorRoute[] {
  return [
    ...sessionRoutes(context),
    ...replayRoutes(context),
    ...workRoutes(context),
    ...accessRoutes(context),
    ...agentRoutes(context),
    ...errorRoutes(context),
    ...auditRoutes(context),
    ...evaluationRoutes(context),
  ]
}

/** Answers requests below `/inspect/api/`: first who is asking and whether they may, then the route. */
export function operatorApi(
  routes: readonly OperatorRoute[],
  access: OperatorAccess,
): (request: Request, path: string) => Promise<Response> {
  return async (request, path) => {
    const pieces = path.split('/').map(decoded)
    const here = routes.flatMap((route) => {
      const params = paramsOf(route, pieces)
      return params === undefined ? [] : [{ route, params }]
    })
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const found = here.find(({ route }) => route.method === method)
    // Callers who may not look are not told which routes there are.
    const by = await access.operator(request, found?.route.scope ?? lookScope)
    if (here.length === 0) throw new BeachError('NOT_FOUND', 'There is no such route. docs/http.md lists them.')
    if (found === undefined) {
      const allow = here.map(({ route }) => route.method).join(', ')
      throw new BeachError('METHOD_NOT_ALLOWED', `Use ${allow} here.`, { details: { allow } })
    }
    return found.route.answer({ request, by, params: found.params })
  }
}

function paramsOf({ path }: OperatorRoute, pieces: readonly string[]): Record<string, string> | undefined {
  const wanted = path.split('/')
  if (wanted.length !== pieces.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of wanted.entries()) {
    const piece = pieces[index] ?? ''
    if (name.startsWith(':')) params[name.slice(1)] = piece
    else if (name !== piece) return undefined
  }
  return params
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    throw new BeachError('BAD_REQUEST', 'The path has a wrong percent sign.')
  }
}
