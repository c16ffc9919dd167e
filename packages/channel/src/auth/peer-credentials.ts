import type { ClientTls } from './fetch.ts'

/** A request as it would go out, for credentials that depend on it. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body?: string | Uint8Array | undefined
}

/** The credentials of one request. Nothing of them shows when they are logged or written as JSON. */
export class SentCredentials {
  readonly #headers: Readonly<Record<string, string>>
  readonly #tls: ClientTls | undefined

  constructor(given: { readonly headers?: Readonly<Record<string, string>>; readonly tls?: ClientTls } = {}) {
    this.#headers = given.headers ?? {}
    this.#tls = given.tls
  }

  /** The client certificate to connect with, for mtls. */
  get tls(): ClientTls | undefined {
    return this.#tls
  }

  /** Adds the headers; one of the same name is replaced. */
  applyTo(headers: Headers): void {
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value)
  }

  /** True when the other would be sent in just the same way. */
  isSame(other: SentCredentials): boolean {
    return JSON.stringify([this.#headers, this.#tls]) === JSON.stringify([other.#headers, other.#tls])
  }
}

/** How this agent authenticates to one transport of one peer. */
export interface PeerCredentials {
  /** What to send with a request. */
  forRequest(request: OutgoingRequest, signal?: AbortSignal): Promise<SentCredentials>
  /** After a 401: these credentials are not used again, unless the source still returns the same. */
  refused(sent: SentCredentials): void
}
