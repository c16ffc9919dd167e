import { CompactingMap } from '@cool-ai/beach-core/runtime'
import { createMcpHandler, McpServer, type Server } from '@modelcontextprotocol/server'

type Factory = Parameters<typeof createMcpHandler>[0]
type Options = Parameters<typeof createMcpHandler>[1]
type Handler = ReturnType<typeof createMcpHandler>

interface Kept {
  readonly handler: Handler
  /** Its requests and servers that are open. */
  open: number
}

const maxRequests = 64

/**
 * The SDK's handler, and another one after some requests: it has its servers in a `Set` while they are in use, so that all
 * they have to do with would grow old (see `CompactingMap`). Not for subscriptions, which are counted by handler.
 */
export class RenewedHandler {
  readonly #factory: Factory
  readonly #options: Options
  readonly #kept = new CompactingMap<Kept, true>()
  #current: Kept
  #requests = 0

  constructor(factory: Factory, options: Options) {
    this.#factory = factory
    this.#options = options
    this.#current = this.#begin()
  }

  async fetch(...request: Parameters<Handler['fetch']>): Promise<Response> {
    if (this.#requests++ === maxRequests) this.#renew()
    const kept = this.#current
    kept.open++
    try {
      return await kept.handler.fetch(...request)
    } finally {
      this.#ended(kept)
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#kept.keys(), ({ handler }) => handler.close()))
  }

  #renew(): void {
    const before = this.#current
    this.#current = this.#begin()
    this.#requests = 1
    if (before.open === 0) this.#kept.delete(before)
  }

  #begin(): Kept {
    const count = (product: McpServer | Server) => {
      const server = product instanceof McpServer ? product.server : product
      const { onclose } = server
      kept.open++
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target.
      server.onclose = () => {
        this.#ended(kept)
        onclose?.()
      }
      return product
    }
    const factory: Factory = (context) => {
      const product = this.#factory(context)
      return product instanceof Promise ? product.then(count) : count(product)
    }
    const kept: Kept = { handler: createMcpHandler(factory, this.#options), open: 0 }
    this.#kept.set(kept, true)
    return kept
  }

  #ended(kept: Kept): void {
    kept.open--
    if (kept.open === 0 && kept !== this.#current) this.#kept.delete(kept)
  }
}
