/** Spreads requests and connections over the processes, one after the other, and skips those that refuse a connection. */
export class Balancer {
  /** The address that clients are given. */
  readonly url: string
  readonly #ports: readonly number[]
  #turn = 0

  constructor(ports: readonly number[]) {
    this.#ports = ports
    this.url = `http://127.0.0.1:${ports[0]}`
  }

  /** The same address at the next process. */
  next(address: string | URL): URL {
    const url = new URL(address)
    url.port = String(this.#ports[this.#turn++ % this.#ports.length])
    return url
  }

  /** A `fetch` that goes to any process: a connection that is refused has reached none, so the next one is tried. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : input
    for (let left = this.#ports.length; ; left--) {
      const url = this.next(address)
      try {
        return await (input instanceof Request ? fetch(new Request(url, input), init) : fetch(url, init))
      } catch (error) {
        if (left <= 1 || !isRefused(error)) throw error
      }
    }
  }
}

function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
