import { BeachError, isBeachError } from '@cool-ai/beach-core'
import type { Fetch } from '../auth/fetch.ts'
import type { PeerCredentials, SentCredentials } from '../auth/peer-credentials.ts'
import type { RequestGuard } from '../guarded-fetch/guarded-fetch.ts'
import { EventCheck } from './event-check.ts'

export interface PeerFetchOptions {
  readonly fetch: Fetch
  readonly credentials?: PeerCredentials | undefined
  /** Where requests may go, for a guarded fetch. */
  readonly guard?: RequestGuard | undefined
  /** How many bytes may come, in all responses together. */
  readonly bytes: number
  /** True when streams are checked before the SDK's client reads them. */
  readonly checksEvents?: boolean | undefined
}

/** The requests of one call: with credentials, without redirects, and with a limit on what is read. */
export interface PeerFetch {
  readonly fetch: typeof fetch
  /** What is known of the last response besides its body. */
  readonly last: PeerResponse | undefined
}

/** The head of a response, as far as it says what to do next. */
export interface PeerResponse {
  readonly status: number
  /** When to try again, as the peer wrote it. */
  readonly retryAfter: string | null
}

// The caller decides how long a call may take: it knows the peer's budget. The connection has no timeout of its own.
const limits = { totalMs: Infinity, headersMs: Infinity, idleMs: Infinity, bytes: Infinity }

/** A `fetch` for the SDK's client. Failures on the way are errors of ours, so that all others are the peer's. */
export function peerFetch(options: PeerFetchOptions): PeerFetch {
  const { fetch, credentials, guard, bytes, checksEvents = false } = options
  let last: PeerResponse | undefined
  let left = bytes
  const send = async (url: string, init: RequestInit, sent: SentCredentials | undefined): Promise<Response> => {
    const headers = new Headers(init.headers)
    sent?.applyTo(headers)
    const own = {
      redirect: 'manual' as const,
      guard: { ...guard, redirects: 0, limits: { ...limits, ...guard?.limits } },
    }
    return fetch(url, { ...init, headers, ...own, tls: sent?.tls })
  }
  const authorised = async (url: string, init: RequestInit): Promise<Response> => {
    if (credentials === undefined) return send(url, init, undefined)
    const { method = 'GET', signal } = init
    const body = typeof init.body === 'string' ? { body: init.body } : undefined
    const outgoing = { method, url, headers: new Headers(init.headers), ...body }
    const sent = await credentials.forRequest(outgoing, signal ?? undefined)
    const response = await send(url, init, sent)
    if (response.status !== 401) return response
    credentials.refused(sent)
    const next = await credentials.forRequest(outgoing, signal ?? undefined)
    if (next.isSame(sent)) return response
    await response.body?.cancel()
    return send(url, init, next)
  }
  const limited: typeof globalThis.fetch = async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    try {
      const response = await authorised(url, init)
      last = { status: response.status, retryAfter: response.headers.get('retry-after') }
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      const events = checksEvents && isStream ? new EventCheck() : undefined
      return withBody(response, (piece) => {
        left -= piece?.byteLength ?? 0
        if (left < 0) throw new BeachError('TOO_LARGE', `The peer's answer has more than ${bytes} bytes.`)
        if (piece === undefined) events?.end()
        else events?.take(piece)
      })
    } catch (error) {
      throw unreachable(error)
    }
  }
  return {
    fetch: limited,
    get last() {
      return last
    },
  }
}

/** The response, with a check of each piece of its body before it is read, and at the end. */
function withBody(response: Response, look: (piece: Uint8Array | undefined) => void): Response {
  const { body, status, statusText, headers } = response
  // A body is not allowed with these; a redirect has none that matters.
  if (body === null || status < 200 || [204, 205, 304].includes(status)) return response
  const reader = body.getReader()
  const limited = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        look(value)
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        controller.error(unreachable(error))
        await reader.cancel().catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(limited, { status, statusText, headers })
}

function unreachable(cause: unknown): unknown {
  if (isBeachError(cause) || (cause instanceof Error && cause.name === 'AbortError')) return cause
  return new BeachError('UNREACHABLE', 'The connection to the peer could not be made, or has broken.', { cause })
}
