import type { ClientTls, Fetch } from './fetch.ts'

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
