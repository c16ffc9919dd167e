import type { Clock } from '@cool-ai/beach-core'
import { AgentError, asAgentError, cancelled, unreachable } from './agent-error.ts'
import { refusalOf } from './refusal.ts'

/** Where an agent is, and what it takes to talk to it. */
export interface AgentOptions {
  /** The agent's address; on a page the one that it came from when absent. */
  readonly url?: string | URL | undefined
  /** The bearer token. A page that the agent itself serves needs none: it has a cookie. */
  readonly token?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

type Headers = Readonly<Record<string, string>>

/** Requests to one agent. Whatever is not a good answer is an `AgentError`. */
export interface Requests {
  readonly token: string | undefined
  readonly urlOf: (path: string) => URL
  /** One try; the answer's body is still to be read. */
  readonly get: (path: string, headers: Headers, signal: AbortSignal) => Promise<Response>
  /** One try; gives the answer's JSON. */
  readonly post: (path: string, body: unknown, options: PostOptions) => Promise<unknown>
}

interface PostOptions {
  readonly signal: AbortSignal
  /** Makes all tries one. */
  readonly key?: string | undefined
}

/** A request that nobody has answered by then counts as lost. */
const answerWithinMs = 30_000

export function requestsTo(options: AgentOptions, clock: Clock): Requests {
  const base = baseOf(options.url)
  const authorization = options.token === undefined ? {} : { authorization: `Bearer ${checked(options.token)}` }
  const request = async (path: string, given: Headers, init: RequestInit): Promise<Response> => {
    const headers = { ...authorization, ...given }
    const url = urlOf(path)
    const response = await (options.fetch ?? globalThis.fetch)(url, { ...init, headers, cache: 'no-store' })
    if (!response.ok) throw await refusalOf(response, clock.now())
    return response
  }
  const urlOf = (path: string) => new URL(`${base}${path}`)
  return {
    token: options.token,
    urlOf,
    async get(path, headers, signal) {
      return request(path, headers, { signal }).catch((error: unknown) => {
        throw asAgentError(error)
      })
    },
    async post(path, body, { key, signal }) {
      const text = jsonOf(body)
      const end = new AbortController()
      const cancelTimer = clock.timer(answerWithinMs, () => end.abort())
      const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) }
      try {
        const init = {
          method: 'POST',
          body: text,
          signal: AbortSignal.any([signal, end.signal]),
        }
        return await (await request(path, headers, init)).json()
      } catch (error) {
        if (signal.aborted) throw asCancelled(signal.reason)
        if (error instanceof SyntaxError) throw unreachable('What answered is not the agent.', error)
        throw asAgentError(error)
      } finally {
        cancelTimer()
      }
    },
  }
}

/** The path that belongs to a session. */
export function sessionPath(sessionId: string): string {
  if (sessionId === '') throw new AgentError('BAD_REQUEST', 'A session has an id; get one from `openSession()`.')
  return `/sessions/${encodeURIComponent(sessionId)}`
}

function asCancelled(reason: unknown): AgentError {
  return reason instanceof AgentError ? reason : cancelled('This was given up before it was answered.')
}

// What `fetch` cannot send looks like a broken network there, and would be tried for ever: it is refused here.

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new AgentError('BAD_REQUEST', 'This cannot be sent: it cannot be written as JSON.', { cause })
  }
}

function checked(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new AgentError('BAD_REQUEST', 'A token has only visible ASCII characters; this is none.')
}

function baseOf(given: string | URL | undefined): string {
  const here = (globalThis as { location?: Location }).location?.href
  const text = String(given ?? (here === undefined ? '' : '/'))
  if (!URL.canParse(text, here) || !new URL(text, here).protocol.startsWith('http')) {
    throw new AgentError(
      'BAD_REQUEST',
      `'${text}' is not the address of an agent; give \`url\`, such as 'http://127.0.0.1:4747'.`,
    )
  }
  const { href } = new URL(text, here)
  return href.replace(/[?#].*$/, '').replace(/\/+$/, '')
}
