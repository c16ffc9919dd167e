import { isBeachError } from '@cool-ai/beach-core'
import type { Watch } from '@cool-ai/beach-core/ports'
import { takeNodeResponse } from '../http/node-response.ts'
import type { Heartbeats } from './heartbeats.ts'
import { NodeOutlet } from './node-outlet.ts'
import { StreamWriter, type StreamForm } from './stream-writer.ts'
import { WebOutlet } from './web-outlet.ts'

const encoder = new TextEncoder()

/** A comment of server-sent events, which keeps proxies and half-open connections honest. */
export const eventHeartbeat = encoder.encode(':\n\n')

const textForm: StreamForm<string> = {
  heartbeat: eventHeartbeat,
  encode: (text) => ({ bytes: encoder.encode(`data: ${text}\n\n`) }),
}

const eventHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

export interface EventResponseOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** True when the stream lasts as long as its connection, and so needs no marks between what is written. */
  readonly isUnframed?: boolean | undefined
}

/** The answer to a request by a stream of server-sent events: through the response of Node where there is one. */
export function eventResponse<Batch>(
  request: Request,
  stream: StreamWriter<Batch>,
  source: Watch,
  { headers: more, isUnframed = false }: EventResponseOptions = {},
): Response {
  const headers = { ...eventHeaders, ...more }
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

export interface TextEventsOptions extends EventResponseOptions {
  readonly heartbeats: Heartbeats
  /** What is sent as the last event when the source fails. */
  readonly onError: (error: unknown) => string
  /** Called once, when the stream is over, however it ended. */
  readonly onEnd: () => void
}

/** The answer to a request by texts as server-sent events, fetched as fast as the reader takes them. */
export function textEvents(request: Request, texts: AsyncIterator<string>, options: TextEventsOptions): Response {
  const { heartbeats, onError, onEnd } = options
  const stream = new StreamWriter({ form: textForm, heartbeats, onEnd })
  return eventResponse(request, stream, new TextSource(texts, stream, onError), options)
}

/** Fetches texts for a stream while it wants them. */
class TextSource implements Watch {
  readonly #texts: AsyncIterator<string>
  readonly #stream: StreamWriter<string>
  readonly #onError: (error: unknown) => string
  #isWanted = false
  #isFetching = false
  #isOver = false

  constructor(texts: AsyncIterator<string>, stream: StreamWriter<string>, onError: (error: unknown) => string) {
    this.#texts = texts
    this.#stream = stream
    this.#onError = onError
  }

  resume(): void {
    this.#isWanted = true
    if (!this.#isFetching && !this.#isOver) void this.#fetch()
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#texts.return?.().catch(() => {})
  }

  async #fetch(): Promise<void> {
    this.#isFetching = true
    try {
      while (this.#isWanted) {
        const { done, value } = await this.#texts.next()
        if (this.#isOver) return
        if (done === true) return this.#stream.end()
        this.#isWanted = false
        // What the stream wants while it is given this counts too.
        this.#isWanted = this.#stream.frames(value) || this.#isWanted
      }
    } catch (error) {
      if (this.#isOver) return
      // A client that did not keep up can subscribe again.
      if (!isBeachError(error, 'SLOW_READER')) this.#stream.frames(this.#onError(error))
      this.#stream.end()
    } finally {
      this.#isFetching = false
    }
  }
}
