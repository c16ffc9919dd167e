import { hasSubscribers } from 'node:diagnostics_channel'
import { runningActivity } from '@cool-ai/beach-core/ports'
import type { TlsIdentity } from './checked-connector.ts'
import { refused } from './failures.ts'

/** A request as it goes out. */
export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly tls: TlsIdentity
  readonly signal: AbortSignal | null
  readonly redirect: NonNullable<RequestInit['redirect']>
}

type Init = RequestInit & { readonly tls: TlsIdentity }

/** The request, from any of the forms that `fetch` accepts. */
export async function toOutgoing(input: string | URL | Request, init: Init): Promise<Outgoing> {
  if (typeof input === 'object' && 'headers' in input) return toOutgoing(input.url, { ...partsOf(input), ...init })
  if (!URL.canParse(String(input))) throw refused('url', 'What was given is not an absolute address.')
  const headers = new Headers(init.headers)
  const { body, type } = await bodyOf(init.body)
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type)
  const trace = traceparent()
  if (trace !== undefined && !headers.has('traceparent')) headers.set('traceparent', trace)
  return {
    url: new URL(input),
    method: (init.method ?? 'GET').toUpperCase(),
    headers,
    body,
    tls: init.tls,
    signal: init.signal ?? null,
    redirect: init.redirect ?? 'follow',
  }
}

/** The trace that this request continues; undefined when an instrumentation of the HTTP client sends its own. */
function traceparent(): string | undefined {
  return hasSubscribers('undici:request:create') ? undefined : runningActivity()?.traceparent
}

function partsOf({ method, headers, body, signal, redirect }: Request): RequestInit {
  return { method, headers, body, signal, redirect }
}

/** The body as text, bytes or a stream: the HTTP client does not know all of the platform's other forms. */
async function bodyOf(body: RequestInit['body']): Promise<{ body: Outgoing['body']; type: string | null }> {
  if (body === undefined || body === null) return { body: null, type: null }
  if (body instanceof ReadableStream) return { body, type: null }
  const whole = new Response(body)
  const type = whole.headers.get('content-type')
  return { body: typeof body === 'string' ? body : new Uint8Array(await whole.arrayBuffer()), type }
}
