import { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:net'
import type { Writable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { noteRequest } from '@cool-ai/beach-channel/http'
import { BeachError, sleep, systemClock } from '@cool-ai/beach-core'
import { createAdaptorServer } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Beach } from './beach-options.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import type { CloseOptions } from './stopping.ts'

/** An agent that listens. */
export interface Serving {
  readonly url: string
  readonly beach: Beach
  /**
   * Refuses further requests, lets turns and tools end within the grace, then ends open streams, stops listening and
   * closes the agent.
   */
  close(options?: CloseOptions): Promise<void>
}

/** The agent's own certificate and key, as PEM. */
interface ServeTls {
  readonly cert: string
  readonly key: string
  /** Asks callers for a certificate; `mtlsAuth` decides whether it is known. They may come without one. */
  readonly askForCertificate?: boolean | undefined
}

/** Where an agent listens, and how it stops. */
export interface ServeOptions {
  /** 0 takes a free one. */
  readonly port: number
  readonly host?: string | undefined
  /** Speaks https. */
  readonly tls?: ServeTls | undefined
  /**
   * Whether SIGTERM and SIGINT stop the agent in order and end the process, with 0; a second signal ends it at once. True
   * when left out; false for a program that handles them itself, by `close`. All agents of a process share one handler.
   */
  readonly signals?: boolean | undefined
  /** How long turns and tools may take to end after a signal, before they are handed over; 25 s when left out. */
  readonly stopGraceMs?: number | undefined
  /** How long a request may take to come, its headers and its body; 15 seconds when left out. */
  readonly requestMs?: number | undefined
}

// Where another server of @hono/node-server ran before this module was loaded, this is a Response of its own kind, which
// is written although headers were sent, until its body was asked for.
void RESPONSE_ALREADY_SENT.body

const defaultGraceMs = 25_000
// Answers, and the ends of streams, are on their way for a moment.
const lastWordsMs = 1_000

/**
 * Serves an agent on a port of this machine. An agent that needs to know its own address can be created once that is
 * known: until then requests wait, and a port that is taken is found before any data is opened.
 */
export async function serve(
  agent: Beach | ((url: string) => Beach | Promise<Beach>),
  options: ServeOptions,
): Promise<Serving> {
  const { promise: made, resolve: give, reject: fail } = Promise.withResolvers<Beach>()
  made.catch(() => undefined)
  let beach: Beach | undefined
  const server = createAdaptorServer({
    async fetch(request, { incoming, outgoing }) {
      const { socket } = incoming
      noteRequest(request, {
        remoteAddress: () => socket.remoteAddress,
        certificate: socket instanceof TLSSocket ? () => socket.getPeerX509Certificate()?.raw : undefined,
        incoming: incoming instanceof IncomingMessage ? incoming : undefined,
        response: outgoing instanceof ServerResponse ? outgoing : undefined,
      })
      const hasNoBody = incoming.method === 'GET' || incoming.method === 'HEAD'
      if (hasNoBody && incoming instanceof IncomingMessage) endUnread(incoming, outgoing)
      const response = await (beach ?? (await made)).fetch(request)
      // Streams that stay open are written to it directly.
      return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
    },
    ...(options.tls
      ? { createServer, serverOptions: { ...upgrades, ...timeouts(options), ...tlsOptions(options.tls) } }
      : { serverOptions: { ...upgrades, ...timeouts(options) } }),
  })
  server.on('upgrade', (incoming, socket, head) => {
    if (beach) beach.upgrade(incoming, socket, head)
    else socket.destroy()
  })
  const stop = async (how?: CloseOptions) => {
    // Until the agent has stopped, it refuses requests: the caller is told to retry.
    await beach?.close(how)
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    if ((how?.graceMs ?? 0) > 0) await Promise.race([closed, sleep(systemClock, lastWordsMs)])
    if ('closeAllConnections' in server) server.closeAllConnections()
    await closed
    ignoreSignals()
  }
  let stopped: Promise<void> | undefined
  const close = (how?: CloseOptions) => {
    // A second call may end the grace of the first.
    if (stopped !== undefined) void beach?.close(how)
    stopped ??= stop(how)
    return stopped
  }
  const { signals = true, stopGraceMs: graceMs = defaultGraceMs } = options
  let ignoreSignals = () => {}
  const url = await listen(server, options)
  if (signals) ignoreSignals = stopOnSignal(() => close({ graceMs }))
  try {
    const ready = typeof agent === 'function' ? await agent(url) : agent
    give((beach = ready))
    return { url, beach: ready, close }
  } catch (error) {
    fail(error)
    await close()
    throw error
  }
}

/** The address of the server. */
async function listen(server: Server, { port, host = '127.0.0.1', tls }: ServeOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      const advice = taken ? 'It is in use; choose another with PORT.' : cause.message
      reject(new BeachError('INVALID_CONFIGURATION', `Cannot listen on ${host}:${port}. ${advice}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return `${tls ? 'https' : 'http'}://${host}:${taken}`
}

/** A request that does not arrive in time ends with its connection. */
function timeouts({ requestMs = 15_000 }: ServeOptions) {
  const connectionsCheckingInterval = Math.max(1, Math.min(1_000, Math.floor(requestMs / 10)))
  return { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval }
}

/** A request whose method has no body may have one nevertheless; once it is answered the rest is discarded. */
function endUnread(incoming: IncomingMessage, outgoing: Writable): void {
  outgoing.once('finish', () => {
    if (!incoming.complete) incoming.socket.destroySoon()
  })
}

/** Other protocols, such as HTTP/2, are not supported: the request is answered as it is. */
const upgrades = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
}

/** Callers' certificates need no authority: each is known by itself. */
function tlsOptions({ cert, key, askForCertificate = false }: ServeTls) {
  return { cert, key, requestCert: askForCertificate, rejectUnauthorized: false }
}
