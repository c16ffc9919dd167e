import { isBeachError, type Runtime } from '@cool-ai/beach-core'

/** What an error that a caller is told of is noted with. */
export type ErrorRuntime = Pick<Runtime, 'id' | 'logger' | 'requests' | 'secrets'>

/** The header in which each error answer has its id. */
export const errorIdHeader = 'x-error-id'

/**
 * Notes an error that a caller is told of, and gives it the id by which the answer, the log and the inspector have it.
 * `as` says what the caller sees of an error that is no BeachError.
 */
export function noteError(
  error: unknown,
  runtime: ErrorRuntime,
  as: { readonly code: string; readonly status: number } = { code: 'INTERNAL', status: 500 },
): string {
  const { code, status } = isBeachError(error) ? error : as
  const id = runtime.id('err')
  if (status >= 500 && code !== 'STOPPING') runtime.logger.log('error', 'a request failed', { errorId: id, error })
  runtime.requests?.reported({ id, code, status, error })
  return id
}

/** The answer with an id in its header, if it is that of an error and has none yet. */
export function withErrorId(response: Response, runtime: ErrorRuntime): Response {
  const { status, statusText, headers, body } = response
  if (status < 400 || headers.has(errorIdHeader)) return response
  const id = runtime.id('err')
  runtime.requests?.reported({ id, code: 'OTHER', status, error: undefined })
  const named = new Headers(headers)
  named.set(errorIdHeader, id)
  return new Response(body, { status, statusText, headers: named })
}
