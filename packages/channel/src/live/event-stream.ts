import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { isBeachError, type BeachError } from '@cool-ai/beach-core'
import type { Watch } from '@cool-ai/beach-core/ports'
import { notesOf, takeNodeResponse } from '../http/request-source.ts'
import { StreamWriter, type Heartbeats, type Outlet, type OutletEvents, type StreamForm } from './stream-writer.ts'

const encoder = new TextEncoder()

/** A comment of server-sent events, by which proxies and half-open connections are detected. */
export const eventHeartbeat = encoder.encode(':\n\n')

const textForm: StreamForm<string> = {
  heartbeat: eventHeartbeat,
  // Small ones share memory, which an encoder's do not.
  encode: (text) => ({ bytes: Buffer.from(`data: ${text}\n\n`) }),
}

const eventHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

export interface EventResponseOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** True when the stream lasts as long as its connection, and so needs no chunk marks. */
  readonly isUnframed?: boolean | undefined
}

/** The answer to a request by a stream of server-sent events: through the response of Node where there is one. */
export function eventResponse<Batch>(
  request: Request,
  stream: StreamWriter<Batch>,
  source: Watch,
  { headers: more, isUnframed = false }: EventResponseOptions = {},
): Response {
  const { answerHeaders, whileAllowed } = notesOf(request)
  const headers = { ...eventHeaders, ...more, ...answerHeaders }
  // Its reader connects again, and is told why it may not.
  if (whileAllowed !== undefined) stream.onOver(whileAllowed(() => stream.end()))
  const response = takeNodeResponse(request)
  if (response === undefined) {
    const outlet = new WebOutlet(stream, request.signal)
    stream.open(outlet, source)
    return new Response(outlet.body, { headers })
  }
  if (isUnframed) response.removeHeader('transfer-encoding')
  stream.open(new NodeOutlet(response, headers, stream), source)
  return new Response(null)
}

export interface TextEventsOptions<Item> extends EventResponseOptions {
  /** What is sent of an item; the item itself unless given. */
  readonly textOf?: ((item: Item) => string) | undefined
  readonly heartbeats: Heartbeats
  /** What is sent as the last event when the source fails. */
  readonly onError: (error: unknown) => string
  /** Called once, when the stream is over, however it ended; `isLeft` when its reader has closed it before its end. */
  readonly onEnd: (isLeft: boolean) => void
}

/** The answer to a request by items as server-sent events of text, fetched as fast as the reader takes them. */
export function textEvents<Item = string>(
  request: Request,
  items: AsyncIterator<Item>,
  options: TextEventsOptions<Item>,
): Response {
  const { heartbeats, onEnd } = options
  const stream = new StreamWriter({ form: textForm, heartbeats, onEnd })
  return eventResponse(request, stream, new TextSource(items, stream, options), options)
}

/** Fetches items for a stream while it wants them. */
class TextSource<Item> implements Watch {
  readonly #items: AsyncIterator<Item>
  readonly #stream: StreamWriter<string>
  readonly #textOf: (item: Item) => string
  readonly #onError: (error: unknown) => string
  #isWanted = false
  #isFetching = false
  #isOver = false

  constructor(
    items: AsyncIterator<Item>,
    stream: StreamWriter<string>,
    { textOf = String, onError }: Pick<TextEventsOptions<Item>, 'textOf' | 'onError'>,
  ) {
    this.#items = items
    this.#stream = stream
    this.#textOf = textOf
    this.#onError = onError
  }

  resume(): void {
    this.#isWanted = true
    if (!this.#isFetching && !this.#isOver) void this.#fetch()
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#items.return?.().catch(() => {})
  }

  async #fetch(): Promise<void> {
    this.#isFetching = true
    try {
      while (this.#isWanted) {
        const { done, value } = await this.#items.next()
        if (this.#isOver) return
        if (done === true) return this.#stream.end()
        this.#isWanted = false
        // A request of the stream for more counts too while it is given this.
        this.#isWanted = this.#stream.frames(this.#textOf(value)) || this.#isWanted
      }
    } catch (error) {
      if (this.#isOver) return
      // A client that did not keep up can reconnect.
      if (!isBeachError(error, 'SLOW_READER')) this.#stream.frames(this.#onError(error))
      this.#stream.end()
    } finally {
      this.#isFetching = false
    }
  }
}

/** A stream's outlet through a response of `node:http`; the headers go with the first write. */
class NodeOutlet implements Outlet {
  readonly #response: ServerResponse
  #isFirst = true

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders, stream: OutletEvents) {
    this.#response = response
    // The response may have been destroyed before.
    if (response.destroyed) {
      stream.gone()
      return
    }
    const { socket } = response
    response.once('close', () => stream.gone(isLost(socket?.errored)))
    response.on('drain', () => stream.drained())
    // A connection that breaks is closed too, without a listener.
    response.on('error', () => {})
    response.writeHead(200, headers)
  }

  write(bytes: Uint8Array): boolean {
    const { destroyed, writableEnded, socket } = this.#response
    if (destroyed || writableEnded) return false
    if (!this.#isFirst) return this.#response.write(bytes)
    this.#isFirst = false
    // Node keeps writes until the end of the current tick, which for a new task includes the turn's beginning.
    socket?.cork()
    const hasRoom = this.#response.write(bytes)
    socket?.uncork()
    return hasRoom
  }

  close(): void {
    if (!this.#response.destroyed) this.#response.end()
  }

  drop(): void {
    this.#response.destroy()
  }
}

/** Errors of a connection whose other end is out of reach: it has not closed it. */
const lost: ReadonlySet<unknown> = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'])

function isLost(error: Error | null | undefined): boolean {
  return error !== null && error !== undefined && 'code' in error && lost.has(error.code)
}

/** As much as waits for a reader before it counts as full. */
const roomInBytes = 64 * 1_024

/** A stream's outlet through a Web stream, for hosts that have no other. */
export class WebOutlet implements Outlet {
  readonly body: ReadableStream<Uint8Array>
  readonly #stream: OutletEvents
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(stream: OutletEvents, signal: AbortSignal) {
    this.#stream = stream
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => stream.drained(),
        cancel: () => this.#gone(),
      },
      { highWaterMark: roomInBytes, size: ({ byteLength }) => byteLength },
    )
    // A server may notice that its client has disconnected before it has begun to read, and would then never cancel.
    signal.addEventListener('abort', () => this.close(), { once: true })
    if (signal.aborted) this.close()
  }

  write(bytes: Uint8Array): boolean {
    this.#controller?.enqueue(bytes)
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  close(): void {
    this.#controller?.close()
    this.#gone()
  }

  drop(reason: BeachError): void {
    this.#controller?.error(reason)
    this.#gone()
  }

  #gone(): void {
    this.#controller = undefined
    this.#stream.gone()
  }
}
