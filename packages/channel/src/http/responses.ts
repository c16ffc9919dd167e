import { BeachError, isBeachError, type Logger } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'

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
export function errorResponse(error: unknown, logger: Logger): Response {
  if (!isBeachError(error)) {
    logger.log('error', 'a request failed', { error })
    return errorResponse(new BeachError('INTERNAL', 'Something went wrong on our side. Try again.'), logger)
  }
  if (error.status >= 500 && error.code !== 'STOPPING') logger.log('error', 'a request failed', { error })
  const headers: Record<string, string> = { ...retryHeaders(error) }
  if (error.code === 'UNAUTHENTICATED') headers['www-authenticate'] = 'Bearer'
  if (error.code === 'UPGRADE_REQUIRED') headers.upgrade = 'websocket'
  if (typeof error.details.allow === 'string') headers.allow = error.details.allow
  if (typeof error.details.contentRange === 'string') headers['content-range'] = error.details.contentRange
  return jsonResponse({ error: { code: error.code, message: error.message } }, error.status, headers)
}

/** Whether and when to try again, and whether on another connection; the same for every protocol. */
export function retryHeaders({ retryable, details }: BeachError): Readonly<Record<string, string>> {
  const seconds = typeof details.retryAfter === 'number' ? details.retryAfter : 1
  return defined({
    'retry-after': retryable ? String(seconds) : undefined,
    connection: details.close === true ? 'close' : undefined,
  })
}
