import { EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol/stream'
import { actionPart, type Pressed } from './press.ts'
import { readEvents, type ServerEvent } from './server-events.ts'
import { Socket } from './socket.ts'

type Frame = Parameters<EnvelopeStream['apply']>[0]

/** How a conversation is followed. */
export type Via = 'sse' | 'websocket'

/** A conversation as a program holds it: it sends, and follows over dropped connections and restarts. */
export class Conversation {
  readonly stream = new EnvelopeStream()
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #via: Via

  static async open(url: string, via: Via = 'sse'): Promise<Conversation> {
    const response = await fetch(`${url}/sessions`, { method: 'POST' })
    const { sessionId, token } = (await response.json()) as { sessionId: string; token: string }
    return new Conversation(`${url}/sessions/${sessionId}`, token, via)
  }

  private constructor(url: string, token: string, via: Via) {
    this.#url = url
    this.#via = via
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  }

  /** The same conversation as another program sees it that has nothing of it yet. */
  anew(): Conversation {
    const { authorization = '' } = this.#headers
    return new Conversation(this.#url, authorization.replace('Bearer ', ''), this.#via)
  }

  /** Sends a message; with a key it may be sent again without being a second one. */
  async say(text: string, key?: string): Promise<void> {
    const response = await this.#post('messages', { text }, key === undefined ? {} : { 'idempotency-key': key })
    if (response.status !== 202) throw new Error(`The message was not accepted: ${await response.text()}`)
  }

  async decide(decision: 'granted' | 'denied'): Promise<number> {
    return (await this.decideWith({ decision })).status
  }

  /** Decides the last request, with all that a decision may have. */
  async decideWith(body: Readonly<Record<string, unknown>>): Promise<{ status: number; text: string }> {
    const request = this.partOf('approval-request')
    const { approvalId } = (request?.data ?? {}) as { approvalId?: string }
    const response = await this.#post(`approvals/${approvalId}`, body)
    return { status: response.status, text: await response.text() }
  }

  /** Presses a button of a surface. */
  async press(pressed: Pressed): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await this.#post('messages', { parts: [actionPart(pressed)] })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  /** The ids of the surfaces that were shown, each once, the first one first. */
  get surfaceIds(): string[] {
    const data = this.stream.parts.filter(({ partType }) => partType === 'a2ui-surface').map((part) => part.data)
    return [
      ...new Set(
        [...JSON.stringify(data).matchAll(/"createSurface":{"surfaceId":"([^"]+)"/g)].map(([, id]) => id ?? ''),
      ),
    ]
  }

  /** Follows until the condition holds; a connection that ends is opened again. */
  async until(condition: (stream: EnvelopeStream) => boolean): Promise<void> {
    while (!condition(this.stream)) {
      try {
        await this.#follow(condition)
      } catch (error) {
        // The server is away, or the connection broke: fetch says so with a TypeError.
        if (!(error instanceof TypeError)) throw error
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }

  /** Follows until this many turns have settled and none is open. */
  settled(count: number): Promise<void> {
    return this.until(({ turns }) => turns.length === count && turns.every((turn) => turn.settled))
  }

  /** The session's events by one connection, until that ends. */
  events(): AsyncGenerator<ServerEvent> {
    return readEvents(`${this.#url}/events`, this.#headers)
  }

  suspended(): Promise<void> {
    return this.until(({ turns }) => turns.at(-1)?.turnState === 'suspended')
  }

  partOf(partType: string): StreamPart | undefined {
    return this.stream.parts.findLast((part) => part.partType === partType)
  }

  async #follow(condition: (stream: EnvelopeStream) => boolean): Promise<void> {
    for await (const frame of this.#via === 'sse' ? this.#events() : this.#messages()) {
      this.stream.apply(frame)
      if (condition(this.stream)) return
    }
  }

  async *#events(): AsyncGenerator<Frame> {
    const { lastCursor } = this.stream
    const headers = { ...this.#headers, ...(lastCursor !== undefined && { 'last-event-id': lastCursor }) }
    for await (const { event, id, data } of readEvents(`${this.#url}/events`, headers)) {
      yield { kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as Frame
    }
  }

  async *#messages(): AsyncGenerator<Frame> {
    const { lastCursor: after } = this.stream
    const headers = this.#headers
    const socket = new Socket(`${this.#url}/ws`, { headers, ...(after !== undefined && { after }) })
    let isClosed = false
    void socket.closed.then(() => (isClosed = true))
    try {
      for (let place = 0; ; place++) {
        await Promise.race([socket.closed, socket.until(() => socket.frames.length > place).catch(() => {})])
        const frame = socket.frames[place]
        if (frame !== undefined) yield frame
        else if (isClosed) return
      }
    } finally {
      socket.close()
    }
  }

  #post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const init = { method: 'POST', headers: { ...this.#headers, ...headers }, body: JSON.stringify(body) }
    return fetch(`${this.#url}/${path}`, init)
  }
}
