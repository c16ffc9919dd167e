import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { selfSigned } from './self-signed.test-helper.ts'

/** A server on this machine that ends with its test. */
export interface LoopbackServer {
  readonly origin: string
  readonly port: number
  /** What it has been asked for, as `GET /path`. */
  readonly requests: readonly string[]
  readonly received: readonly IncomingMessage[]
  /** How many connections it has had. */
  readonly connections: () => number
  /** Resolves with the next request that comes. */
  readonly nextRequest: () => Promise<IncomingMessage>
  readonly dropConnections: () => void
}

/** Answers on loopback by plain HTTP. */
export async function loopbackServer(answer: RequestListener): Promise<LoopbackServer> {
  return listening(createServer(answer), 'http', '127.0.0.1')
}

/** Answers on loopback by HTTPS under a name that only the test's resolver knows; `ca` is whom to trust for it. */
export async function loopbackTlsServer(
  name: string,
  answer: RequestListener,
): Promise<LoopbackServer & { readonly ca: string }> {
  const { key, cert } = selfSigned(name)
  const server = createTlsServer({ key, cert, requestCert: true, rejectUnauthorized: false }, answer)
  return Object.assign(await listening(server, 'https', name), { ca: cert })
}

async function listening(server: Server, scheme: string, host: string): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  const received: IncomingMessage[] = []
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
  })
  server.on('request', (request: IncomingMessage) => received.push(request))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `${scheme}://${host}:${port}`,
    received,
    get requests() {
      return received.map(({ method, url }) => `${method} ${url}`)
    },
    connections: () => connections,
    nextRequest: async () => ((await once(server, 'request')) as [IncomingMessage])[0],
    dropConnections: () => sockets.forEach((socket) => socket.destroy()),
  }
}
