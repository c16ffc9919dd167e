import { ServerResponse, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { TLSSocket } from 'node:tls'
import { createAdaptorServer } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { BeachError } from '@cool-ai/beach-core'
import { noteNodeResponse, noteRemoteAddress } from '@cool-ai/beach-transport'
import { noteTlsCertificate } from '@cool-ai/beach-transport/auth'
import type { Beach } from './create-beach.ts'

/** An agent that listens. */
export interface Serving {
  readonly url: string
  /** Stops listening, ends open streams and closes the agent. */
  close(): Promise<void>
}

/** The agent's own certificate and key, as PEM. */
interface ServeTls {
  readonly cert: string
  readonly key: string
  /** Asks callers for a certificate of theirs; whether one is known is for `mtlsAuth`. They may come without. */
  readonly askForCertificate?: boolean
}

/** Puts an agent on a port of this machine, by https when it is given a certificate; port 0 takes a free one. */
export async function serve(beach: Beach, options: { port: number; host?: string; tls?: ServeTls }): Promise<Serving> {
  const host = options.host ?? '127.0.0.1'
  const server = createAdaptorServer({
    async fetch(request, { incoming, outgoing }) {
      const { socket } = incoming
      noteRemoteAddress(request, () => socket.remoteAddress)
      if (socket instanceof TLSSocket) noteTlsCertificate(request, () => socket.getPeerX509Certificate()?.raw)
      if (outgoing instanceof ServerResponse) noteNodeResponse(request, outgoing)
      const response = await beach.fetch(request)
      // Streams that stay open are written to it at once.
      return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
    },
    ...(options.tls
      ? { createServer, serverOptions: { ...upgrades, ...tlsOptions(options.tls) } }
      : { serverOptions: upgrades }),
  })
  server.on('upgrade', (incoming, socket, head) => beach.upgrade(incoming, socket, head))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      const advice = taken ? 'It is in use; choose another with PORT.' : cause.message
      reject(new BeachError('INVALID_CONFIGURATION', `Cannot listen on ${host}:${options.port}. ${advice}`, { cause }))
    })
    server.listen(options.port, host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await beach.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}

/** Whatever else somebody would like to speak, as HTTP/2, is not spoken here: the request is answered as it is. */
const upgrades = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
}

/** Callers' certificates need no authority: each is known by itself. */
function tlsOptions({ cert, key, askForCertificate = false }: ServeTls) {
  return { cert, key, requestCert: askForCertificate, rejectUnauthorized: false }
}
