import type { Duplex } from 'node:stream'
import { EventType } from '@ag-ui/core'
import { parseJson, type BodyLimits } from '@cool-ai/beach-channel/http'
import { Rate } from '@cool-ai/beach-channel/live'
import {
  closeOf,
  goingAway,
  MessageProgress,
  textOnly,
  tooMuch,
  tooSlow,
  type Close,
} from '@cool-ai/beach-channel/websocket'
import { BeachError, isBeachError, type Principal, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { principalKey, type SliceReply } from '@cool-ai/beach-core/ports'
import type { WebSocket } from 'ws'
import * as z from 'zod'
import type { RunningRun } from './run-events.ts'
import { checkId } from './run-input.ts'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

/** What all sockets of a slice share. */
export interface SliceSocketContext {
  readonly ns: string
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly limits: BodyLimits
  readonly heartbeatMs: number
  /** Whether one may come without a credential; true when left out. */
  readonly guests?: boolean | undefined
  /** Who has a token; nothing else of the request counts. */
  readonly byToken: (token: string) => Promise<Principal | undefined>
  readonly find: (threadId: string, principal: Principal | undefined) => Promise<ThreadSession>
  readonly enter: (principal: Principal | undefined) => () => void
  /** The thread as AG-UI's events, from now on, for as long as the signal lets it. */
  readonly follow: (place: ThreadSession, threadId: string, signal: AbortSignal) => RunningRun
}

const hello = z.looseObject({
  type: z.literal('hello'),
  threadId: z.string(),
  token: z.string().max(10_000).optional(),
})
const request = z.union([
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('said'), id: z.string().min(1).max(100), said: z.unknown() }),
  z.looseObject({ type: z.literal('CUSTOM'), name: z.string(), value: z.unknown() }),
])

const helloWithinMs = 10_000
const closeWithinMs = 5_000
const maxBytesBeforeHello = 16 * 1_024
/** As much of what was sent may wait to be taken; the rest waits where it comes from. */
const maxWaiting = 256 * 1_024
/** A caller that reads nothing gets no more pongs. */
const maxUnread = 1_024 * 1_024
const rateLimits = { burst: 200, perSecond: 100 }

/** Who asks for a connection, as its request says. */
export interface SliceCaller {
  readonly principal: Promise<Principal | undefined>
  /** Looks again, by the same credential: it may have run out. */
  readonly again: () => Promise<Principal | undefined>
  readonly onKnown: () => void
}

/** One connection to a slice: AG-UI's events of a thread, and what its client says to the slice on the way back. */
export class SliceSocket {
  readonly #socket: WebSocket
  readonly #context: SliceSocketContext
  readonly #caller: SliceCaller
  readonly #rate: Rate
  readonly #progress = new MessageProgress()
  readonly #ending = new AbortController()
  #bytes = 0
  #unfinished: number | undefined
  #isGreeted = false
  #place: ThreadSession | undefined
  #leave = () => {}
  #cancelTimer = () => {}
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #unanswered = 0

  constructor(socket: WebSocket, bytes: Duplex, context: SliceSocketContext, caller: SliceCaller) {
    this.#socket = socket
    this.#context = context
    this.#caller = caller
    const { clock } = context.runtime
    this.#rate = new Rate(clock, rateLimits)
    this.#cancelTimer = clock.timer(helloWithinMs, () => this.close(closeOf(noHello())))
    bytes.on('data', (chunk: Buffer) => this.#follow(chunk))
    socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary))
    socket.on('ping', (data) => {
      if (this.#isWelcome() && socket.bufferedAmount < maxUnread) socket.pong(data)
    })
    socket.on('pong', () => {
      if (this.#isWelcome()) this.#unanswered = 0
    })
    socket.on('close', () => this.#gone())
    socket.on('error', () => {})
  }

  end(): void {
    this.close(goingAway)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  close({ code, reason }: Close): void {
    this.#ending.abort()
    if (!this.#isOpen) return
    this.#socket.close(code, reason)
    this.#cancelTimer()
    this.#cancelTimer = this.#context.runtime.clock.timer(closeWithinMs, () => this.#socket.terminate())
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  #follow(chunk: Buffer): void {
    this.#progress.take(chunk)
    this.#bytes += chunk.length
    if (this.#place === undefined && this.#bytes > maxBytesBeforeHello) {
      this.close(tooMuch)
      this.#socket.pause()
    }
  }

  #isWelcome(): boolean {
    if (!this.#isOpen) return false
    if (this.#rate.take()) return true
    const { burst, perSecond } = rateLimits
    this.close(
      closeOf(new BeachError('TOO_MANY', `You send too much: ${burst} at once, ${perSecond} a second after that.`)),
    )
    return false
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.#isWelcome()) return
    if (isBinary) return this.close(textOnly)
    const text = data.toString()
    this.#waiting += data.length
    if (this.#waiting > maxWaiting) this.#socket.pause()
    this.#last = this.#last
      .then(() => this.#take(text))
      .catch((error: unknown) => this.#fail(error))
      .then(() => this.#taken(data.length))
  }

  #taken(bytes: number): void {
    this.#waiting -= bytes
    if (this.#waiting <= maxWaiting && this.#isOpen && this.#socket.isPaused) this.#socket.resume()
  }

  async #take(text: string): Promise<void> {
    if (!this.#isOpen) return
    const value = parseJson(text, this.#context.limits.depth)
    if (!this.#isGreeted) {
      this.#isGreeted = true
      return this.#greet(value)
    }
    const parsed = request.safeParse(value)
    if (!parsed.success) {
      const { ns } = this.#context
      throw new BeachError('BAD_REQUEST', `Send events as { "type": "CUSTOM", "name": "${ns}.…", "value" }, or a ping.`)
    }
    await this.#answer(parsed.data)
  }

  async #greet(value: unknown): Promise<void> {
    const parsed = hello.safeParse(value)
    if (!parsed.success) throw noHello()
    const { byToken, find, enter, follow, ns, sessions } = this.#context
    const { type: _type, threadId, token, ...said } = parsed.data
    checkId('threadId', threadId)
    const principal = token === undefined ? await this.#caller.principal : await byToken(token)
    if (principal === undefined && (token !== undefined || this.#context.guests === false)) {
      throw new BeachError('UNAUTHENTICATED', 'You are not authenticated: send a token that is valid here.')
    }
    const place = await find(threadId, principal)
    // A caller that has gone meanwhile would never give back its place.
    if (!this.#isOpen) return
    this.#leave = enter(principal)
    this.#caller.onKnown()
    this.#cancelTimer()
    // Before anything is told, so that nothing is missed; it may also open the thread.
    const { session, principal: by } = place
    const reply = await sessions.handle(session, ns, { ...said, subscribe: true }, by, {})
    if (reply.seq === 0) await sessions.open({ principal: by, id: session })
    if (!this.#isOpen) return
    const { events } = follow(place, threadId, this.#ending.signal)
    this.#place = place
    void this.#tell(events, reply)
    this.#beat(principal, token === undefined ? this.#caller.again : () => byToken(token))
  }

  async #tell(events: RunningRun['events'], reply: SliceReply): Promise<void> {
    try {
      for await (const told of events) {
        for (const event of told) {
          await this.#send(event)
          if (event.type === EventType.RUN_STARTED) await this.#results(reply)
        }
      }
      this.close(goingAway)
    } catch (error) {
      this.#fail(error)
    }
  }

  async #answer(said: z.infer<typeof request>): Promise<void> {
    const { ns, sessions } = this.#context
    const place = this.#place
    if (said.type === 'ping') return this.#send({ type: 'pong' })
    if (place === undefined) return
    try {
      const id = said.type === 'said' ? { id: said.id } : {}
      const value = said.type === 'said' ? said.said : { events: [said] }
      await this.#results(await sessions.handle(place.session, ns, value, place.principal), id)
    } catch (error) {
      if (!isBeachError(error) || error.status >= 500) throw error
      const { code, message } = error
      const id = said.type === 'said' ? { id: said.id } : {}
      await this.#send({ type: 'CUSTOM', name: `${ns}.results`, value: { error: { code, message } }, ...id })
    }
  }

  /** What is for the caller alone. */
  async #results({ answer, parts = [] }: SliceReply, id: { readonly id?: string } = {}): Promise<void> {
    for (const { data, metadata } of parts) await this.#send({ type: 'CUSTOM', name: metadata.partType, value: data })
    await this.#send({ type: 'CUSTOM', name: `${this.#context.ns}.results`, value: answer ?? {}, ...id })
  }

  /**
   * A connection whose other end is gone does not answer pings; one that is at the same message for long is let go, and
   * so is one whose credential counts no more.
   */
  #beat(principal: Principal | undefined, again: SliceCaller['again']): void {
    const { clock } = this.#context.runtime
    this.#cancelTimer = clock.timer(this.#context.heartbeatMs, () => {
      if (!this.#isOpen) return
      // What is not read here for now cannot come to its end.
      const unfinished = this.#socket.isPaused ? undefined : this.#progress.unfinished
      if (unfinished !== undefined && unfinished === this.#unfinished) return this.close(tooSlow)
      this.#unfinished = unfinished
      if (++this.#unanswered > 2) return this.#socket.terminate()
      this.#socket.ping()
      if (principal !== undefined) void this.#checkAgain(principal, again)
      this.#beat(principal, again)
    })
  }

  async #checkAgain(principal: Principal, again: SliceCaller['again']): Promise<void> {
    try {
      const now = await again()
      if (now?.tenant === principal.tenant && principalKey(now) === principalKey(principal)) return
    } catch (error) {
      // Whether it still counts cannot be told now; the next beat asks again.
      if (!isBeachError(error) || error.status >= 500) return
    }
    this.close(closeOf(new BeachError('UNAUTHENTICATED', 'Your credential counts no more. Connect with a new one.')))
  }

  /** Resolves once it is on its way: a client that does not read holds up only itself, and is not read from either. */
  #send(message: unknown): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOpen) this.#socket.send(JSON.stringify(message), () => resolve())
      else resolve()
    })
  }

  #fail(error: unknown): void {
    if (!isBeachError(error)) this.#context.runtime.logger.log('error', 'a connection failed', { error })
    this.close(closeOf(error))
  }

  #gone(): void {
    this.#ending.abort()
    this.#cancelTimer()
    this.#leave()
    this.#caller.onKnown()
  }
}

function noHello(): BeachError {
  return new BeachError('UNAUTHENTICATED', 'Say first which thread: { "type": "hello", "threadId", "token"? }.')
}
