import { AgentError } from './agent-error.ts'

/** An answer that is not the one hoped for, as its error; `body` is the JSON that came with it, if any did. */
export function refusalOf({ status, headers }: Response, body: unknown, now: number): AgentError {
  const { code, message } = wireError(body)
  return refusal(status, message, code, delayOf(headers.get('retry-after'), now))
}

/** What the agent has refused with a status of HTTP. */
export function refusal(status: number, message: unknown, code?: unknown, retryAfterMs?: number): AgentError {
  const known = typeof code === 'string' ? code : (codes[status] ?? (status < 500 ? 'BAD_REQUEST' : 'UNREACHABLE'))
  const sentence = typeof message === 'string' && message !== '' ? message : `The agent answered with status ${status}.`
  return new AgentError(known, sentence, { status, retryAfterMs })
}

/** The codes of refusals that come without one: a WebSocket has only the status, and a proxy none of ours. */
const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  410: 'EXPIRED',
  429: 'TOO_MANY',
}

/** The error in a body; none when a proxy in front of the agent has answered. */
export function wireError(body: unknown): { readonly code?: unknown; readonly message?: unknown } {
  return (body as { error?: object } | null | undefined)?.error ?? {}
}

/** `Retry-After` is a number of seconds or a date. */
function delayOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
