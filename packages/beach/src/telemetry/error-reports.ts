import { AsyncLocalStorage } from 'node:async_hooks'
import type { NotedError, RequestReports, ReportedError } from '@cool-ai/beach-core/ports'

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const sessionId = /^sess_[a-z0-9]{1,60}$/

/** The method of a request, where it is a usual one: a caller may write anything there. */
export function methodOf({ method }: Request): string {
  return methods.has(method) ? method : 'other'
}

/** What a path has as the id of a session, where it can be one. */
export function sessionIn(text: string | undefined): string | undefined {
  return text !== undefined && sessionId.test(text) ? text : undefined
}

/** A request while it is answered. */
interface Answering {
  readonly request: Request
  route?: string
  /** As its path has it. */
  session?: string | undefined
}

const answering = new AsyncLocalStorage<Answering>()

/** Reports errors that callers are told of, for agents whose inspector is the only reader of reports. */
export class ErrorReports implements RequestReports {
  #onError: ((error: NotedError) => void) | undefined

  async request(request: Request, answer: () => Response | Promise<Response>): Promise<Response> {
    return answering.run({ request }, answer)
  }

  routed(path: string, session: string | undefined): void {
    Object.assign(answering.getStore() ?? {}, { route: path, session })
  }

  reported(error: ReportedError): void {
    const { request, route, session } = answering.getStore() ?? {}
    this.#onError?.({ ...error, method: request && methodOf(request), route, session: sessionIn(session) })
  }

  /** Gives each error that a caller is told of to a listener. */
  listenToErrors(onError: (error: NotedError) => void): void {
    this.#onError = onError
  }
}
