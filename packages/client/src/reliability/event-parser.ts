import { unreachable } from './agent-error.ts'

/** An event that the server sends. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
  /** The last id that the stream has given, by this event or one before it. */
  readonly lastEventId: string
}

export interface EventParser {
  /** Takes bytes as they arrive, split anywhere. */
  readonly push: (bytes: Uint8Array) => void
}

export interface EventHandlers {
  readonly event: (event: ServerEvent) => void
  /** How long to wait before reconnecting, as the server wants it. */
  readonly retry?: (ms: number) => void
}

/** Reads server-sent events as browsers do: `EventSource` cannot send a credential, so it is not used. */
export function eventParser(handlers: EventHandlers): EventParser {
  // Node's decoder drops a second byte order mark too when the first comes in two pieces: so it drops none.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let begun = false
  let rest = ''
  let skipLineFeed = false
  let type = ''
  let data: string[] = []
  let lastEventId = ''

  const field = (name: string, value: string) => {
    if (name === 'data') data.push(value)
    else if (name === 'event') type = value
    else if (name === 'id' && !value.includes('\0')) lastEventId = value
    else if (name === 'retry' && /^\d+$/.test(value)) handlers.retry?.(Number(value))
  }
  const line = (text: string) => {
    if (text === '') {
      const event = { type: type || 'message', data: data.join('\n'), lastEventId }
      const complete = data.length > 0
      type = ''
      data = []
      if (complete) handlers.event(event)
      return
    }
    const colon = text.indexOf(':')
    if (colon < 0) field(text, '')
    else field(text.slice(0, colon), text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1))
  }

  return {
    push(bytes) {
      let text = decoder.decode(bytes, { stream: true })
      if (text === '') return
      if (!begun && text.startsWith('\uFEFF')) text = text.slice(1)
      begun = true
      // A line feed after a carriage return belongs to it, also when it comes in the next piece.
      if (skipLineFeed && text.startsWith('\n')) text = text.slice(1)
      skipLineFeed = text.endsWith('\r')
      const [first = '', ...others] = text.split(/\r\n|\n|\r/)
      if (others.length === 0) {
        rest += first
        return
      }
      const last = others.pop() ?? ''
      line(rest + first)
      rest = last
      for (const next of others) line(next)
    },
  }
}

/** The stream itself does not say how often a sign of life comes; this is what agents do. */
export const heartbeatMs = 15_000

/** Reads the server-sent events of an answer until the agent ends it. */
export async function readEvents(
  { body, headers }: Response,
  handlers: EventHandlers & { readonly opened: () => void; readonly activity: () => void },
): Promise<void> {
  const type = headers.get('content-type') ?? 'nothing'
  if (body === null || !type.startsWith('text/event-stream')) {
    await body?.cancel()
    throw unreachable(`The answer is not from the agent: it is ${type}, not an event stream.`)
  }
  handlers.opened()
  const parser = eventParser(handlers)
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    handlers.activity()
    parser.push(value)
  }
}
