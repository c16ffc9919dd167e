import type { Clock } from '@cool-ai/beach-core'
import { loginOf, rememberLogin, type LoginTokens } from './login.ts'
import { AgentError, asAgentError, cancelled, unreachable, refusalOf } from './agent-error.ts'

/** The address of an agent, and the credentials to talk to it. */
export interface AgentOptions {
  /** The agent's address; on a page the one that it came from when absent. */
  readonly url?: string | URL | undefined
  /**
   * The bearer token. A page that the agent itself serves needs none: it has a cookie. One of `openSession` is renewed by
   * itself.
   */
  readonly token?: string | undefined
  /** What renews the token, for one that was opened elsewhere. */
  readonly refreshToken?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Where requests go, and how often they are tried. */
export interface RequestOptions extends AgentOptions {
  /** What every request has with it; a function is asked each time, so that tokens can be renewed. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>) | undefined
}

type Headers = Readonly<Record<string, string>>

/** Requests to one agent. Every unsuccessful answer is an `AgentError`. */
export interface Requests {
  readonly token: string | undefined
  readonly urlOf: (path: string) => URL
  /** Gets a new token in the place of one that was refused; false when the agent gives none. */
  readonly renew: (refused: string | undefined) => Promise<boolean>
  /** One try, with a POST if there is a `body`; the body of the answer is still to be read. */
  readonly open: (path: string, init: OpenOptions) => Promise<Response>
  /** One try; gives the answer's JSON. */
  readonly post: (path: string, body: unknown, options: PostOptions) => Promise<unknown>
}

interface OpenOptions {
  readonly headers: Headers
  readonly signal: AbortSignal
  readonly body?: unknown
}

interface PostOptions {
  readonly signal: AbortSignal
  /** The key by which retries count once. */
  readonly key?: string | undefined
  /** True for JSON that is an answer with any status. */
  readonly isAnswer?: ((body: unknown) => boolean) | undefined
}

/** A request without an answer by then counts as lost. */
const answerWithinMs = 30_000

/** Makes requests to an agent, tried again when that is safe. */
export function requestsTo(options: RequestOptions, clock: Clock): Requests {
  const { token: given, headers: more } = options
  const base = baseOf(options.url)
  if (given !== undefined) checked(given)
  const login = rememberLogin(options) ?? loginOf(given)
  const tokenNow = () => login?.token ?? given
  const urlOf = (path: string) => new URL(`${base}${path}`)
  const tried = async (path: string, { headers, signal, body }: OpenOptions): Promise<Response> => {
    const token = tokenNow()
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const all = { ...authorization, ...(typeof more === 'function' ? await more() : more), ...headers }
    const init: RequestInit = { headers: all, signal, cache: 'no-store' }
    const json = { ...all, 'content-type': 'application/json' }
    const post = body === undefined ? {} : { method: 'POST', body: jsonOf(body), headers: json }
    return (options.fetch ?? globalThis.fetch)(urlOf(path), { ...init, ...post })
  }
  const renewal = async (refreshToken: string): Promise<LoginTokens | undefined> => {
    const init = { method: 'POST', body: JSON.stringify({ refreshToken }), cache: 'no-store' } as const
    const headers = { 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(answerWithinMs)
    const response = await (options.fetch ?? globalThis.fetch)(urlOf('/token'), { ...init, headers, signal })
    const answer = await jsonIn(response)
    if (response.ok) return answer as LoginTokens
    if (response.status === 401) return undefined
    throw refusalOf(response, answer, clock.now())
  }
  const renew = async (refused: string | undefined): Promise<boolean> =>
    login !== undefined && refused !== undefined && login.renew(refused, renewal)
  /** With a new token where the old one has ended. */
  const request = async (path: string, init: OpenOptions): Promise<Response> => {
    const token = tokenNow()
    const response = await tried(path, init)
    return response.status === 401 && (await renew(token)) ? tried(path, init) : response
  }
  return {
    get token() {
      return tokenNow()
    },
    urlOf,
    renew,
    async open(path, init) {
      try {
        const response = await request(path, init)
        if (!response.ok) throw refusalOf(response, await jsonIn(response), clock.now())
        return response
      } catch (error) {
        throw failedAt(base, error)
      }
    },
    async post(path, body, { key, signal, isAnswer }) {
      const end = new AbortController()
      const cancelTimer = clock.timer(answerWithinMs, () => end.abort())
      const headers = key === undefined ? {} : { 'idempotency-key': key }
      try {
        const response = await request(path, { headers, signal: AbortSignal.any([signal, end.signal]), body })
        const answer = await jsonIn(response)
        if (!response.ok && isAnswer?.(answer) !== true) throw refusalOf(response, answer, clock.now())
        if (answer === undefined) throw unreachable('The answer is not from the agent.')
        return answer
      } catch (error) {
        if (signal.aborted) throw asCancelled(signal.reason)
        throw failedAt(base, error)
      } finally {
        cancelTimer()
      }
    },
  }
}

/** Browsers do not say why a request to another origin failed; the most likely reason is named. */
function failedAt(base: string, error: unknown): AgentError {
  const here = (globalThis as { location?: Location }).location?.origin
  const isForeign = here !== undefined && here !== new URL(base).origin
  if (error instanceof AgentError || !isForeign) return asAgentError(error)
  return unreachable(`The agent cannot be reached. Is ${here} in its \`access.origins\`?`, error)
}

/** The body as JSON; undefined when it is none, as that of a proxy in front of the agent. */
async function jsonIn(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text()) as unknown
  } catch {
    return undefined
  }
}

function asCancelled(reason: unknown): AgentError {
  return reason instanceof AgentError ? reason : cancelled('The request was given up before it was answered.')
}

// A body that `fetch` cannot send looks like a broken network there, and would be retried for ever: it is refused here.

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new AgentError('BAD_REQUEST', 'This cannot be sent: it cannot be written as JSON.', { cause })
  }
}

function checked(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return
  throw new AgentError('BAD_REQUEST', 'A token has only visible ASCII characters; this is not one.')
}

/** The address of a path below an agent's address. */
export function urlAt(url: string | URL | undefined, path: string): URL {
  return new URL(`${baseOf(url)}${path}`)
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
