import { asFlowClientError, FlowClientError } from './flow-client-error.ts'
import { isRecord } from './transport.ts'

/** How to reach a server. */
export interface ServerOptions {
  /** The server's address; on a page the one that it came from when absent. */
  readonly url?: string | URL | undefined
  /** What every request has with it, such as `authorization`; a function is asked each time, so that tokens can be renewed. */
  readonly headers?: HeadersOf | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

type HeadersOf = Readonly<Record<string, string>> | (() => HeaderValues | Promise<HeaderValues>)
type HeaderValues = Readonly<Record<string, string>>

/** The address of a path at a server. */
export function addressOf(url: string | URL | undefined, path: string): URL {
  const here = (globalThis as { location?: Location }).location?.href
  const base = String(url ?? (here === undefined ? '' : '/'))
  if (!URL.canParse(base, here) || !/^https?:$/.test(new URL(base, here).protocol)) {
    const text = `'${base}' is not the address of a server; give \`url\`, such as 'http://127.0.0.1:4747'.`
    throw new FlowClientError('BAD_REQUEST', text)
  }
  const { href } = new URL(base, here)
  return new URL(`${href.replace(/[?#].*$/, '').replace(/\/+$/, '')}${path}`)
}

/** Posts JSON; whatever nobody answered is UNREACHABLE. */
export async function post(
  { url, headers, fetch = globalThis.fetch }: ServerOptions,
  path: string,
  body: unknown,
  init: { readonly accept: string; readonly signal: AbortSignal },
): Promise<Response> {
  const address = addressOf(url, path)
  const text = jsonOf(body)
  try {
    const given = typeof headers === 'function' ? await headers() : headers
    const { accept, signal } = init
    return await fetch(address, {
      method: 'POST',
      headers: { ...given, 'content-type': 'application/json', accept },
      body: text,
      signal,
      cache: 'no-store',
    })
  } catch (error) {
    throw asFlowClientError(error)
  }
}

/** An answer that is not the one hoped for, as its error. */
export function refusalOf(response: Response, body: unknown): FlowClientError {
  const { status } = response
  const { code, message } = isRecord(body) && isRecord(body.error) ? body.error : {}
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new FlowClientError(
    typeof code === 'string' ? code : status < 500 ? 'BAD_REQUEST' : 'UNREACHABLE',
    typeof message === 'string' && message !== '' ? message : `The server answered with status ${status}.`,
    { status, ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1_000 }) },
  )
}

/** The body as JSON, if it is some. */
export async function jsonIn(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown
  } catch {
    // Whoever answered is not the server, as a proxy in front of it.
    return undefined
  }
}

// What `fetch` cannot send looks like a broken network there, and would be tried for ever.
function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new FlowClientError('BAD_REQUEST', 'This cannot be sent: it cannot be written as JSON.', { cause })
  }
}
