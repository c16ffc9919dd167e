import { BeachError, isBeachError, type Logger } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { errorIdHeader, noteError, type ErrorRuntime } from './error-id.ts'

/** JSON with a status; never cached, never sniffed. */
export function jsonResponse(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  // Not by `Response.json`: that makes an object of `Headers`, where the server takes plain ones as they are.
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...jsonHeaders, ...headers },
  })
}

const jsonHeaders = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
}

/** An error as a client may see it: our own errors with their sentence, all others without any detail. */
export function seenError(error: unknown): BeachError {
  return isBeachError(error) ? error : new BeachError('INTERNAL', 'Something went wrong on our side. Try again.')
}

/**
 * The answer to a request that failed, with the error's id. With a logger in place of the agent's runtime, as earlier
 * versions had it, the agent adds the id as a header only.
 */
export function errorResponse(error: unknown, runtime: ErrorRuntime | Logger): Response {
  const id = 'logger' in runtime ? noteError(error, runtime) : undefined
  const seen = seenError(error)
  const { code, status, details } = seen
  const message = 'secrets' in runtime ? (runtime.secrets?.text(seen.message) ?? seen.message) : seen.message
  if (!('logger' in runtime) && status >= 500) runtime.log('error', 'a request failed', { error })
  const headers: Record<string, string> = { ...retryHeaders(seen) }
  if (id !== undefined) headers[errorIdHeader] = id
  if (code === 'UNAUTHENTICATED') headers['www-authenticate'] = 'Bearer'
  if (code === 'UPGRADE_REQUIRED') headers.upgrade = 'websocket'
  if (typeof details.allow === 'string') headers.allow = details.allow
  if (typeof details.contentRange === 'string') headers['content-range'] = details.contentRange
  return jsonResponse({ error: defined({ code, message, id }) }, status, headers)
}

/** Whether and when to try again, and whether on another connection; the same for every protocol. */
export function retryHeaders({ retryable, details }: BeachError): Readonly<Record<string, string>> {
  const seconds = typeof details.retryAfter === 'number' ? details.retryAfter : 1
  return defined({
    'retry-after': retryable ? String(seconds) : undefined,
    connection: details.close === true ? 'close' : undefined,
  })
}
