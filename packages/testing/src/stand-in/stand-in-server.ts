import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a stand-in does with a request instead of handling it. */
export type Fault =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body?: unknown
      readonly headers?: Record<string, string>
    }
  | { readonly kind: 'hang' }
  /** It handles the request, and the answer is lost. */
  | { readonly kind: 'lost' }

export interface StandInRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface StandInAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An error that the service answers with. */
export class StandInProblem extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** A real server on loopback that stands in for another party's service, and can be told to fail. */
export class StandInServer {
  readonly #server: Server
  readonly #faults: Fault[] = []
  /** The fault of all requests until it is changed. */
  lasting: Fault | undefined
  #origin = ''

  constructor(deal: (request: StandInRequest) => Promise<StandInAnswer>) {
    this.#server = createServer((incoming, outgoing) => {
      this.#answer(incoming, outgoing, deal).catch(() => outgoing.destroy())
    })
  }

  get origin(): string {
    return this.#origin
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The next requests that send something fail like this, one each. */
  failNext(...faults: readonly Fault[]): void {
    this.#faults.push(...faults)
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    deal: (request: StandInRequest) => Promise<StandInAnswer>,
  ): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method = 'GET', headers } = incoming
    const request = { method, url: new URL(incoming.url ?? '/', this.#origin), headers, body: Buffer.concat(chunks) }
    const fault = this.sends(request) ? (this.#faults.shift() ?? this.lasting) : undefined
    this.saw(request, fault)
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'answer') return write(outgoing, { body: {}, ...fault })
    const answer = await deal(request)
    if (fault?.kind === 'lost') outgoing.destroy()
    else write(outgoing, answer)
  }

  /** Which requests send something: only those fail. */
  sends: (request: StandInRequest) => boolean = ({ method }) => method === 'POST'

  /** Called with each request, and how it fails. */
  saw: (request: StandInRequest, fault: Fault | undefined) => void = () => {}
}

function write(outgoing: ServerResponse, { status, body, headers }: StandInAnswer): void {
  const isBytes = Buffer.isBuffer(body)
  outgoing.writeHead(status, { 'content-type': isBytes ? 'application/octet-stream' : 'application/json', ...headers })
  outgoing.end(isBytes ? body : JSON.stringify(body))
}

/** What a stand-in must still know after a restart: entries, in the order of their arrival. */
export interface Journal<Entry> {
  /** What was there when it was opened. */
  readonly past: readonly Entry[]
  add(entry: Entry): void
}

/** A journal that is gone with its process. */
export function memoryJournal<Entry>(): Journal<Entry> {
  return { past: [], add: () => {} }
}
