import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A push notification as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver of push notifications, on a port of this machine. */
export class PushReceiver {
  readonly received: Received[] = []
  readonly url: string
  /** What it answers, in this order; 200 when nothing is left. */
  readonly statuses: number[] = []
  /** Where it sends those whom it answers a redirect. */
  location: string | undefined
  #waiting: (() => void)[] = []

  static async start(): Promise<PushReceiver> {
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        response.statusCode = receiver.statuses.shift() ?? 200
        if (receiver.location !== undefined) response.setHeader('location', receiver.location)
        response.end()
        receiver.#take({ headers: request.headers, body })
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const receiver = new PushReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
    return receiver
  }

  private constructor(url: string) {
    this.url = url
  }

  /** Resolves when this many have come. */
  async count(max: number): Promise<void> {
    while (this.received.length < max) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #take(received: Received): void {
    this.received.push(received)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
