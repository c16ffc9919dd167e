import { AgentError, platformOf, refusal, unreachable, urlAt, wireError } from '@cool-ai/beach-client/reliability'
import type { Clock } from '@cool-ai/beach-core'
import { FlowClientError } from './flow-client-error.ts'
import { answerOf, type Answer, type FlowTransport, type ReceivedEvent, type ClientRequest } from './transport.ts'

/** Where the WebSocket of flows is. */
export interface SocketTransportOptions {
  /** The server's address; on a page the one that it came from when absent. */
  readonly url?: string | URL | undefined
  readonly threadId: string
  /** Who one is; a function is asked for each connection, so that tokens can be renewed. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  readonly WebSocket?: typeof globalThis.WebSocket | undefined
  readonly clock?: Clock | undefined
}

/** How often the server is asked for a sign of life, and how long it may take. */
const pingMs = 30_000
const pongWithinMs = 10_000

/** An answer that has not come by then counts as lost. */
const answerWithinMs = 30_000

/** Close codes from here on are 4000 and a status of HTTP. */
const refusedFrom = 4_400

/** Events both ways over one WebSocket, which is there while the client follows. */
export function socketTransport(options: SocketTransportOptions): FlowTransport {
  const { clock, key } = platformOf(options)
  let current: Line | undefined
  return {
    async send(said, signal) {
      if (current === undefined) throw unreachable('There is no connection.')
      return current.ask(key(), said, signal)
    },

    async follow(said, events, signal) {
      const token = typeof options.token === 'function' ? await options.token() : options.token
      const address = urlAt(options.url, '/intentflow/ws')
      address.protocol = address.protocol.replace('http', 'ws')
      const line = new Line(new (options.WebSocket ?? globalThis.WebSocket)(address, ['intentflow.v1']), clock)
      const abort = () => line.end(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        await line.run({ type: 'hello', threadId: options.threadId, token, ...said }, (event) => {
          if (event.type === 'RUN_STARTED') {
            current = line
            events.opened()
          }
          events.event(event)
        })
      } catch (error) {
        // A token that was good may be too old now: the next one is asked for.
        const isRenewable = typeof options.token === 'function' && current === line
        if (isRenewable && error instanceof AgentError && error.status === 401) throw unreachable(error.message, error)
        throw error
      } finally {
        signal.removeEventListener('abort', abort)
        if (current === line) current = undefined
      }
    },
  }
}

/** One connection, from its greeting to its end. */
class Line {
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly #over = Promise.withResolvers<void>()
  readonly #requested = new Map<string, PromiseWithResolvers<Answer>>()
  #cancelTimer = () => {}

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#over.promise.catch(() => {})
  }

  async run(hello: object, onEvent: (event: ReceivedEvent) => void): Promise<void> {
    const socket = this.#socket
    this.#expect('The WebSocket did not open in time.')
    socket.addEventListener('open', () => socket.send(JSON.stringify(hello)))
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      this.#noteActivity()
      try {
        const message = JSON.parse(data) as ReceivedEvent & { readonly id?: string }
        if (message.name === 'intentflow.results') this.#answered(message.id ?? '', message.value)
        else onEvent(message)
      } catch (error) {
        this.end(error)
      }
    })
    socket.addEventListener('close', ({ code, reason }) => this.end(closed(code, reason)))
    try {
      await this.#over.promise
    } finally {
      this.#cancelTimer()
      socket.close()
    }
  }

  ask(id: string, said: ClientRequest, signal: AbortSignal): Promise<Answer> {
    const asked = Promise.withResolvers<Answer>()
    const abort = () => asked.reject(signal.reason)
    const cancel = this.#clock.timer(answerWithinMs, () =>
      asked.reject(unreachable('The server did not answer in time.')),
    )
    signal.addEventListener('abort', abort, { once: true })
    this.#requested.set(id, asked)
    this.#socket.send(JSON.stringify({ type: 'said', id, said }))
    return asked.promise.finally(() => {
      cancel()
      signal.removeEventListener('abort', abort)
      this.#requested.delete(id)
    })
  }

  end(error: unknown): void {
    this.#over.reject(error)
    for (const { reject } of this.#requested.values()) reject(unreachable('The connection broke.', error))
  }

  #answered(id: string, value: unknown): void {
    const { code, message } = wireError(value)
    const asked = this.#requested.get(id)
    if (typeof code !== 'string') asked?.resolve(answerOf(value))
    else
      asked?.reject(new FlowClientError(code, typeof message === 'string' ? message : 'The server has refused this.'))
  }

  /** After a while of silence the server is asked for a sign of life; without one the connection is dead. */
  #noteActivity(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.timer(pingMs, () => {
      this.#socket.send('{"type":"ping"}')
      this.#expect('The server no longer answers.')
    })
  }

  #expect(problem: string): void {
    this.#cancelTimer = this.#clock.timer(pongWithinMs, () => this.end(unreachable(problem)))
  }
}

/** The codes that IntentFlow has for these statuses. */
const codes: Readonly<Record<number, string>> = { 401: 'AUTH_REQUIRED', 403: 'PERMISSION_DENIED' }

function closed(code: number, reason: string): AgentError {
  if (code < refusedFrom) return unreachable('The WebSocket broke, or did not open.')
  return refusal(code - 4_000, reason, codes[code - 4_000])
}
