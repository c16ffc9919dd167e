import type { Duplex } from 'node:stream'
import { takenBody } from '@cool-ai/beach-channel'
import type { StreamCount } from '@cool-ai/beach-channel/admission'
import { noteError, remoteNetwork, seenError, type BodyLimits } from '@cool-ai/beach-channel/http'
import {
  Rate,
  StreamWriter,
  type HeartbeatTarget,
  type Call,
  type Heartbeats,
  type SessionCalls,
  type StreamWriterOptions,
} from '@cool-ai/beach-channel/live'
import {
  byToken,
  closeOf,
  MessageProgress,
  textOnly,
  tooMuch,
  tooSlow,
  type Close,
} from '@cool-ai/beach-channel/websocket'
import {
  BeachError,
  isBeachError,
  type Authenticator,
  type Principal,
  type Runtime,
  type Sessions,
} from '@cool-ai/beach-core'
import type { FrameBatch } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { WebSocket } from 'ws'
import { messageForm } from './encode.ts'
import { parseHello, parseRequest, type Hello, type SocketRequest } from './requests.ts'
import { SocketOutlet } from './socket-outlet.ts'

/** What all connections of a channel share. */
export interface SocketContext {
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly calls: SessionCalls
  readonly authenticate: Authenticator
  readonly limits: BodyLimits
  readonly streams: StreamCount
  readonly heartbeats: Heartbeats
  readonly heartbeatMs: number
  /** Adds to frames what only this caller may have. */
  readonly prepare?: ((call: Call) => StreamWriterOptions<FrameBatch>['prepare']) | undefined
}

const helloWithinMs = 10_000
const closeWithinMs = 5_000
const rateLimits = { burst: 100, perSecond: 20 }
/** A caller that sends requests and reads no answer is disconnected. */
const maxUnread = 1_024 * 1_024

/** As much is read of an unauthenticated caller. */
const maxBytesBeforeHello = 16 * 1_024

/** A requested connection, and its caller, as far as the request tells. */
export interface ConnectionRequest {
  readonly request: Request
  readonly session: string
  /** Undefined before it is known. */
  readonly caller: Promise<Principal | undefined>
}

/** One connection: it authenticates the caller, sends the session's frames, and answers requests one after another. */
export class SocketConnection implements HeartbeatTarget {
  readonly #socket: WebSocket
  readonly #requested: ConnectionRequest
  readonly #context: SocketContext
  readonly #rate: Rate
  readonly #progress = new MessageProgress()
  /** Called when the caller is authenticated, or has disconnected. */
  readonly #onKnown: () => void
  #early: string[] = []
  #bytesBeforeHello = 0
  #unfinished: number | undefined
  #hello: { resolve(text: string): void; reject(error: unknown): void } | undefined
  #call: Call | undefined
  #stream: StreamWriter<FrameBatch> | undefined
  #leave = () => {}
  #stopBeating = () => {}
  #cancelTimer = () => {}
  #unanswered = 0
  #last: Promise<void> = Promise.resolve()

  /** `bytes` is what the connection's frames come in. */
  constructor(socket: WebSocket, bytes: Duplex, asked: ConnectionRequest, context: SocketContext, onKnown: () => void) {
    this.#socket = socket
    this.#requested = asked
    this.#context = context
    this.#onKnown = onKnown
    this.#rate = new Rate(context.runtime.clock, rateLimits)
    bytes.on('data', (chunk: Buffer) => this.#follow(chunk))
    socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary))
    socket.on('ping', (data) => {
      if (this.#isWelcome()) socket.pong(data)
    })
    socket.on('pong', () => {
      if (this.#isWelcome()) this.#unanswered = 0
    })
    socket.on('close', () => this.#gone())
    // The close code says what was wrong.
    socket.on('error', () => {})
  }

  /** Admits the caller; a refusal closes the connection and says why. */
  async open(): Promise<void> {
    const { authenticate, streams, sessions, heartbeats, heartbeatMs, prepare } = this.#context
    const { request, session, caller } = this.#requested
    try {
      const known = await caller
      const hello = known === undefined ? await this.#waitForHello() : undefined
      // What arrives meanwhile is not read yet.
      this.#socket.pause()
      const principal = known ?? (hello && (await byToken(hello.token, request, authenticate)))
      if (principal === undefined) throw new BeachError('UNAUTHENTICATED', 'This token is unknown.')
      this.#onKnown()
      if (!this.#isOpen) return
      const id = `websocket:${session}:${principal.id}`
      const from = { id, transport: 'websocket', deliveryClass: 'streaming', principal } as const
      const call = { session, principal, from }
      const adding = prepare?.(call)
      const leave = streams.enterFrom(principal, remoteNetwork(request))
      const stream = new StreamWriter({
        form: messageForm(session, heartbeatMs),
        heartbeats,
        prepare: adding,
        onEnd: leave,
      })
      this.#leave = () => stream.gone()
      const after = hello?.after ?? new URL(request.url).searchParams.get('after') ?? undefined
      const watch = await sessions.watch(session, from, after, stream)
      if (!this.#isOpen) return watch.stop()
      this.#stopBeating = heartbeats.add(this)
      this.#call = call
      this.#stream = stream
      stream.open(new SocketOutlet(this.#socket, stream, (how) => this.close(how)), watch)
      for (const text of this.#early.splice(0)) this.#take(text, call)
    } catch (error) {
      if (!isBeachError(error)) this.#context.runtime.logger.log('error', 'a connection failed', { error })
      this.close(closeOf(error))
    } finally {
      this.#socket.resume()
    }
  }

  /** Earlier writes may never be read: a client that does not read the end either is disconnected. */
  close({ code, reason }: Close): void {
    this.#stream?.gone()
    if (!this.#isOpen) return
    this.#socket.close(code, reason)
    this.#cancelTimer = this.#context.runtime.clock.timer(closeWithinMs, () => this.#socket.terminate())
  }

  /** Ends it without waiting for the other side. */
  terminate(): void {
    this.#socket.terminate()
  }

  /**
   * Browsers answer pings by themselves; a connection whose other end is gone does not. One that has not finished the
   * same message since the last heartbeat would keep us waiting for ever.
   */
  beat(): void {
    const { unfinished } = this.#progress
    if (unfinished !== undefined && unfinished === this.#unfinished) return this.#cutOff(tooSlow)
    this.#unfinished = unfinished
    if (++this.#unanswered > 2) return this.#socket.terminate()
    if (this.#isOpen) this.#socket.ping()
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** True when the caller may send one more. */
  #isWelcome(): boolean {
    if (!this.#isOpen) return false
    if (this.#socket.bufferedAmount > maxUnread) {
      this.close(closeOf(new BeachError('SLOW_READER', 'This reader did not keep up. Connect again with the cursor.')))
      return false
    }
    if (this.#rate.take()) return true
    const { burst, perSecond } = rateLimits
    const limits = `${burst} at once, ${perSecond} a second after that`
    this.close(closeOf(new BeachError('TOO_MANY', `You send too many messages. Allowed are ${limits}.`)))
    return false
  }

  #follow(chunk: Buffer): void {
    this.#progress.take(chunk)
    this.#bytesBeforeHello += chunk.length
    if (this.#hello !== undefined && this.#bytesBeforeHello > maxBytesBeforeHello) this.#cutOff(tooMuch)
  }

  /** Closes, and reads nothing more: not even the answer to that. */
  #cutOff(how: Close): void {
    this.close(how)
    this.#socket.pause()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.#isWelcome()) return
    if (isBinary) return this.close(textOnly)
    const text = data.toString()
    if (this.#call !== undefined) this.#take(text, this.#call)
    else if (this.#hello === undefined) this.#early.push(text)
    else {
      this.#hello.resolve(text)
      this.#hello = undefined
    }
  }

  async #waitForHello(): Promise<Hello> {
    const { clock } = this.#context.runtime
    let cancel = () => {}
    try {
      const [early] = this.#early.splice(0, 1)
      const text =
        early ??
        (await new Promise<string>((resolve, reject) => {
          this.#hello = { resolve, reject }
          cancel = clock.timer(helloWithinMs, () =>
            reject(new BeachError('UNAUTHENTICATED', 'The connection is not authenticated. Send a token first.')),
          )
        }))
      return parseHello(text, this.#context.limits)
    } finally {
      this.#hello = undefined
      cancel()
    }
  }

  #take(text: string, call: Call): void {
    const parsed = parseRequest(text, this.#context.limits)
    if ('error' in parsed) return this.#refuse(parsed.id, parsed.error)
    const { request } = parsed
    if (request.type === 'ping') return this.#send({ type: 'pong', id: request.id })
    this.#last = this.#last.then(() => this.#answer(request, call))
  }

  async #answer(request: Exclude<SocketRequest, { type: 'ping' }>, call: Call): Promise<void> {
    try {
      this.#send({ type: 'ok', id: request.id, result: await this.#done(request, call) })
    } catch (error) {
      this.#refuse(request.id, error)
    }
  }

  async #done(request: Exclude<SocketRequest, { type: 'ping' }>, call: Call): Promise<unknown> {
    const { calls } = this.#context
    const { type: _type, id: _id, ...rest } = request
    switch (request.type) {
      case 'send': {
        const { key, text, parts } = request
        const body = defined({ text, parts })
        const taken = await calls.send(call, async () => body, key)
        return takenBody(taken)
      }
      case 'decide': {
        const { approvalId, decision, reason, args, allow } = request
        return calls.decide(call, approvalId, defined({ decision, reason, args, allow }))
      }
      case 'cancel':
        return calls.cancel(call, rest)
    }
  }

  #refuse(id: string | undefined, error: unknown): void {
    const errorId = noteError(error, this.#context.runtime)
    const { code, message, status, retryable } = seenError(error)
    this.#send({ type: 'error', id, error: { code, message, status, retryable, id: errorId } })
  }

  #send(message: unknown): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(message))
  }

  #gone(): void {
    this.#hello?.reject(new BeachError('CANCELLED', 'The caller has disconnected.'))
    this.#stopBeating()
    this.#cancelTimer()
    this.#leave()
    this.#onKnown()
  }
}
