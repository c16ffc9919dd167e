import { BeachError } from '@cool-ai/beach-core'
import { credentialsFor, type CallableTransport, type CredentialsForOptions } from './credentials-for.ts'
import type { OutgoingRequest, SentCredentials } from './peer-credentials.ts'

/** As the platform's `fetch` is called; what else stands in `init` goes on to the fetch that was given. */
export type AuthorisedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

interface Call {
  readonly url: string
  readonly init: RequestInit
}

/**
 * A fetch that authenticates this agent to one transport of one peer. A 401 makes it get new credentials, once. They go
 * to the endpoint's origin only, and redirects are not followed: the credentials are not for the next address.
 */
export function authorisedFetch(transport: CallableTransport, options: CredentialsForOptions): AuthorisedFetch {
  const credentials = credentialsFor(transport, options)
  const { origin } = new URL(transport.endpoint)

  const send = async ({ url, init }: Call, sent: SentCredentials) => {
    const headers = new Headers(init.headers)
    sent.applyTo(headers)
    return options.fetch(url, { ...init, headers, redirect: 'manual', tls: sent.tls })
  }

  return async (input, given) => {
    const call = await toCall(input, given)
    if (new URL(call.url).origin !== origin) {
      const message = `The credentials for '${options.peer}' are for ${origin}, and are sent nowhere else.`
      throw new BeachError('FORBIDDEN', message)
    }
    const outgoing = toOutgoing(call)
    const signal = call.init.signal ?? undefined
    const sent = await credentials.forRequest(outgoing, signal)
    const response = await send(call, sent)
    if (response.status !== 401) return response
    credentials.refused(sent)
    // A stream is used up by now.
    if (call.init.body instanceof ReadableStream) return response
    const next = await credentials.forRequest(outgoing, signal).catch(async (error: unknown) => {
      await response.body?.cancel()
      throw error
    })
    if (next.isSame(sent)) return response
    await response.body?.cancel()
    return send(call, next)
  }
}

async function toCall(input: string | URL | Request, init: RequestInit = {}): Promise<Call> {
  if (!(input instanceof Request)) return { url: String(input), init }
  const { method, headers, signal } = input
  const body = input.body === null ? null : new Uint8Array(await input.arrayBuffer())
  return { url: input.url, init: { method, headers, signal, body, ...init } }
}

function toOutgoing({ url, init }: Call): OutgoingRequest {
  const { method = 'GET', headers, body } = init
  const isPlain = typeof body === 'string' || body instanceof Uint8Array
  return { method, url, headers: new Headers(headers), body: isPlain ? body : undefined }
}
