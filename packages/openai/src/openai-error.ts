import {
  errorIdHeader,
  jsonResponse,
  noteError,
  retryHeaders,
  seenError,
  type ErrorRuntime,
} from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import type * as z from 'zod'

/** An error about one member of a request, which OpenAI's clients show as `param`. */
export function paramError(param: string, message: string): BeachError {
  return new BeachError('BAD_REQUEST', message, { details: { param } })
}

/** The error of a request that is not of the right form. */
export function formError(what: string, { issues }: z.ZodError): BeachError {
  const problems = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return paramError(issues[0]?.path.join('.') ?? '', `This is no ${what}. ${problems.join('; ')}.`)
}

/** What OpenAI calls this kind of error. */
function typeOf({ status }: BeachError): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** An error in OpenAI's shape. */
export function openAiError(error: unknown, id?: string): Readonly<Record<string, unknown>> {
  const seen = seenError(error)
  const { code, message, details } = seen
  const param = typeof details.param === 'string' ? details.param : null
  const own = code === 'UNAUTHENTICATED' ? 'invalid_api_key' : code
  const named = typeof details.code === 'string' ? details.code : own
  return { message, type: typeOf(seen), param, code: named, ...(id !== undefined && { id }) }
}

/** The answer to a request that failed. Clients try again as they are told, and not by the status alone. */
export function openAiErrorResponse(error: unknown, runtime: ErrorRuntime): Response {
  const id = noteError(error, runtime)
  const seen = seenError(error)
  const body = openAiError(seen, id)
  const message = runtime.secrets?.text(seen.message) ?? seen.message
  const headers: Record<string, string> = {
    ...retryHeaders(seen),
    'x-should-retry': String(seen.retryable && seen.details.isFinal !== true),
    ...(id !== undefined && { [errorIdHeader]: id, 'x-request-id': id }),
    ...(seen.code === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
  }
  return jsonResponse({ error: { ...body, message } }, seen.status, headers)
}
