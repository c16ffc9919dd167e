import type { Runtime, Store } from '@cool-ai/beach-core'
import type { Transport } from '@modelcontextprotocol/server'

/** A client's answer to a request of the server. */
interface ClientAnswer {
  readonly id: string | number
}

interface Relayed {
  readonly session: string
  readonly answer: ClientAnswer
}

/** Takes the answers to requests of this process that reached another one. */
type Take = (session: string, answer: ClientAnswer) => void

/**
 * Brings the answers of clients to the process that has asked. Ids of requests to clients begin with the process; an
 * answer that arrives elsewhere travels as live text of the store.
 */
export class AnswerRelay {
  readonly #store: Pick<Store, 'publish' | 'tail'>
  readonly #process: string
  readonly #ending = new AbortController()
  #following: Promise<void> | undefined

  constructor(runtime: Runtime, store: Pick<Store, 'publish' | 'tail'>) {
    this.#store = store
    this.#process = runtime.id('mcp')
  }

  /** Marks the requests that are sent to a client. */
  mark(transport: Transport): void {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      const isRequest = 'method' in message && 'id' in message
      return send(isRequest ? { ...message, id: `${this.#process} ${message.id}` } : message, options)
    }
  }

  /** The body as its own process reads it; undefined when it was for another one, and is on its way there. */
  accept(session: string, body: unknown): { readonly body: unknown } | undefined {
    if (!isAnswer(body)) return { body }
    const [process = '', id] = String(body.id).split(' ')
    if (id === undefined) return { body }
    if (process === this.#process) return { body: { ...body, id: Number(id) } }
    this.#store.publish(keyOf(process), { session, answer: body } satisfies Relayed)
    return undefined
  }

  /** From now on answers that reach other processes come here. */
  follow(take: Take): void {
    this.#following ??= this.#follow(take).catch(() => {})
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#following
  }

  async #follow(take: Take): Promise<void> {
    for await (const items of this.#store.tail(keyOf(this.#process), 0, this.#ending.signal)) {
      for (const item of items) {
        if (!('live' in item)) continue
        const { session, answer } = item.live as Relayed
        take(session, answer)
      }
    }
  }
}

function keyOf(process: string): string {
  return `mcp-answers:${process}`
}

function isAnswer(body: unknown): body is ClientAnswer {
  return typeof body === 'object' && body !== null && 'id' in body && !('method' in body)
}
