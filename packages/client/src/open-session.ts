import { backoffOf, persist } from './reliability/pauses.ts'
import { rememberLogin } from './reliability/login.ts'
import { platformOf } from './reliability/platform.ts'
import { requestsTo, type AgentOptions } from './reliability/requests.ts'
import type { Clock } from '@cool-ai/beach-core'

/** Where a session is opened. */
export interface OpenSessionOptions extends AgentOptions {
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A session, and the token for it. */
export interface OpenedSession {
  readonly sessionId: string
  /** The token to use from now on; absent for callers with a credential of their own, or a cookie. */
  readonly token?: string
  /** What renews the token; the client does it by itself. */
  readonly refreshToken?: string
}

/** An agent that cannot be reached for this long is given up. */
const maxMs = 30_000

/** Opens a session. An agent that cannot be reached is tried again for half a minute. */
export function openSession(options: OpenSessionOptions = {}): Promise<OpenedSession> {
  return ask('/sessions', {}, options)
}

/** Joins a session by the code of a one-time link. */
export function joinSession(options: OpenSessionOptions & { readonly code: string }): Promise<OpenedSession> {
  return ask('/join', { code: options.code }, options)
}

/**
 * Logs the caller out: the token works no more, and open streams end; with `everywhere` those of all logins of the caller.
 */
export async function logOut(options: AgentOptions & { readonly everywhere?: boolean } = {}): Promise<void> {
  const requests = requestsTo(options, platformOf({}).clock)
  const body = options.everywhere === true ? { everywhere: true } : {}
  const signal = AbortSignal.timeout(maxMs)
  await requests.open('/logout', { headers: {}, signal, body })
}

async function ask(path: string, body: unknown, options: OpenSessionOptions): Promise<OpenedSession> {
  const platform = platformOf(options)
  const requests = requestsTo(options, platform.clock)
  const signal = options.signal ?? new AbortController().signal
  const until = platform.clock.now() + maxMs
  const opened = (await persist(() => requests.post(path, body, { signal }), {
    pauses: backoffOf(platform),
    signal,
    onPause: (pause) => pause.until < until,
  })) as OpenedSession
  rememberLogin(opened)
  return opened
}
