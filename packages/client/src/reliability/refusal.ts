import { AgentError } from './agent-error.ts'

/** An answer that is not the one hoped for, as its error. */
export async function refusalOf(response: Response, now: number): Promise<AgentError> {
  const { code, message } = wireError(await response.text().catch(() => ''))
  return refusal(response.status, message, code, delayOf(response.headers.get('retry-after'), now))
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

function wireError(body: string): { readonly code?: unknown; readonly message?: unknown } {
  try {
    return (JSON.parse(body) as { error?: object }).error ?? {}
  } catch {
    // Whoever answered is not the agent, as a proxy in front of it.
    return {}
  }
}

/** `Retry-After` is a number of seconds or a date. */
function delayOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
