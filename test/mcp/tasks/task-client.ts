import { onTestFinished } from 'vitest'
import { dispatch, frame, taskSession, type TaskClientOptions } from '../../support/task-session.ts'

export { frame, type TaskPerson } from '../../support/task-session.ts'

/** The stock client of the tasks extension on the stock client of MCP, for one test. */
export async function taskClient(url: URL, options: TaskClientOptions = {}) {
  const { session, close } = await taskSession(url, options)
  onTestFinished(close)
  return session
}

/** A raw request of a client that takes tasks. */
export function ask(url: URL, method: string, params: object, options: TaskClientOptions = {}) {
  const { token } = options
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return dispatch(url, { method, params: { ...params, _meta: frame(options) } }, headers)
}
