/** A client certificate and its key, as PEM. */
export interface ClientTls {
  readonly cert: string
  readonly key: string
  /** An authority to trust besides the usual ones. */
  readonly ca?: string | undefined
}

/** A fetch function: a guarded fetch, or the platform's. One that does not support `tls` needs `fetchWithTls`. */
export type Fetch = (url: string, init?: RequestInit & { readonly tls?: ClientTls | undefined }) => Promise<Response>

/** A fetch for requests with a client certificate too: each certificate gets connections of its own, by `connect`. */
export function fetchWithTls(fetch: Fetch, connect: (tls: ClientTls) => Fetch): Fetch {
  const open = new WeakMap<ClientTls, Fetch>()
  return async (url, { tls, ...init } = {}) => {
    if (tls === undefined) return fetch(url, init)
    const connected = open.get(tls) ?? connect(tls)
    open.set(tls, connected)
    return connected(url, init)
  }
}
