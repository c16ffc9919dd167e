import { BeachError } from '@cool-ai/beach-core'

interface CountedFetch {
  readonly fetch: typeof fetch
  /** Aborted when more requests are made than there may be. */
  readonly tooMany: AbortSignal
}

/** A `fetch` for so many requests: a server can have its client make any number. */
export function countedFetch(fetch: typeof globalThis.fetch, max: number): CountedFetch {
  const tooMany = new AbortController()
  let count = 0
  const counted: typeof globalThis.fetch = async (input, init) => {
    if (++count > max) {
      tooMany.abort(new BeachError('PEER_PROTOCOL', `The peer has caused more than ${max} requests.`))
    }
    if (tooMany.signal.aborted) throw tooMany.signal.reason
    return fetch(input, init)
  }
  return { fetch: counted, tooMany: tooMany.signal }
}
