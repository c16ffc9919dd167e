/** A client certificate and its key, as PEM. */
export interface ClientTls {
  readonly cert: string
  readonly key: string
  /** An authority to trust besides the usual ones. */
  readonly ca?: string
}

/** Whatever fetches: a guarded fetch, or the platform's. One that knows nothing of `tls` needs `fetchWithTls`. */
export type Fetch = (url: string, init?: RequestInit & { readonly tls?: ClientTls }) => Promise<Response>
