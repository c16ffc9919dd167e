import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** Breaks the connection, with whatever was sent before it. */
export const dropped = Symbol('dropped')

/** What an answer's body is made of: bytes to send, something to wait for, or the break of the connection. */
export type Piece = string | Buffer | Promise<unknown> | typeof dropped

/** What the server says to one request. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: readonly Piece[]
}

/** A request as it came in. */
export interface ProviderRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  /** Resolves when the connection's answer is over: `whole` when all of it was sent, `cut` when the client went away. */
  readonly ended: Promise<'whole' | 'cut'>
}

/** The conversation that a request brings, in the provider's own form. */
export function messagesOf(request: ProviderRequest | undefined): readonly unknown[] {
  return (request?.body.messages ?? []) as readonly unknown[]
}

/** An answer that streams events. */
export function streamed(...pieces: readonly Piece[]): Answer {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, pieces }
}

/** An answer that is an error in JSON. */
export function refused(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, pieces: [JSON.stringify(body)] }
}

/** The same bytes in fragments of this length, which may cut events, lines and characters. */
export function fragments(events: readonly string[], length: number): Buffer[] {
  const bytes = Buffer.from(events.join(''))
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
}

/** A model provider on the loopback: it answers request after request as it was told to, and remembers what it was asked. */
export class ProviderServer implements AsyncDisposable {
  readonly requests: ProviderRequest[] = []
  readonly #server: Server
  readonly #answers: Answer[] = []
  readonly #waiting: { index: number; resolve: (request: ProviderRequest) => void }[] = []

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response))
  }

  static async start(...answers: readonly Answer[]): Promise<ProviderServer> {
    const provider = new ProviderServer()
    provider.answer(...answers)
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  get url(): string {
    return `http://${this.host}`
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Adds answers to those that are still to be given. */
  answer(...answers: readonly Answer[]): void {
    this.#answers.push(...answers)
  }

  /** The request at this place, as soon as it has come in. */
  request(index: number): Promise<ProviderRequest> {
    const known = this.requests[index]
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve) => this.#waiting.push({ index, resolve }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    this.#record({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
      ended: new Promise((resolve) => {
        response.on('close', () => resolve(response.writableFinished ? 'whole' : 'cut'))
      }),
    })
    // A status that is not tried again: a test that asks too often fails with it.
    await send(this.#answers.shift() ?? refused(418, { error: { message: 'The script is over.' } }), response)
  }

  #record(request: ProviderRequest): void {
    const index = this.requests.push(request) - 1
    for (const waiting of this.#waiting.filter((entry) => entry.index === index)) waiting.resolve(request)
  }
}

async function send({ status, headers, pieces }: Answer, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers)
  for (const piece of pieces) {
    if (response.destroyed) return
    if (piece === dropped) return void response.destroy()
    if (piece instanceof Promise) await piece
    else await new Promise((resolve) => response.write(piece, resolve))
  }
  response.end()
}
