import type { Frame } from '@cool-ai/beach-core'
import { eventParser, type ServerEvent } from './reliability/event-parser.ts'
import { unreachable } from './reliability/agent-error.ts'
import type { Carrier } from './reliability/carrier.ts'
import type { Requests } from './reliability/requests.ts'

/** The stream itself does not say how often; this is what agents do. */
const heartbeatMs = 15_000

/** Frames by server-sent events, read with `fetch`. */
export function sseCarrier(requests: Requests, session: string): Carrier {
  return async (after, events, signal) => {
    const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) }
    const { body, headers: about } = await requests.get(`${session}/events`, headers, signal)
    const type = about.get('content-type') ?? 'nothing'
    if (body === null || !type.startsWith('text/event-stream')) {
      await body?.cancel()
      throw unreachable(`What answered is not the agent: it sent ${type}, not an event stream.`)
    }
    events.opened('sse', heartbeatMs)
    const parser = eventParser({ event: (event) => events.frame(frameOf(event)), retry: events.retry })
    const reader = body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      events.heard()
      parser.push(value)
    }
  }
}

function frameOf({ type, data, lastEventId }: ServerEvent): Frame {
  const cursor = lastEventId === '' ? {} : { cursor: lastEventId }
  return { ...(JSON.parse(data) as object), kind: type, ...cursor } as Frame
}
