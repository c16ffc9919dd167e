import type { Frame } from '@cool-ai/beach-core'
import type { Carrier } from './reliability/connection.ts'
import { type ServerEvent, heartbeatMs, readEvents } from './reliability/event-parser.ts'
import type { Requests } from './reliability/requests.ts'

/** Frames by server-sent events, read with `fetch`. */
export function sseCarrier(requests: Requests, session: string): Carrier {
  return async (after, { opened, activity, frame, retry }, signal) => {
    const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) }
    const response = await requests.open(`${session}/events`, { headers, signal })
    await readEvents(response, {
      opened: () => opened('sse', heartbeatMs),
      activity,
      event: (event) => frame(frameOf(event)),
      retry,
    })
  }
}

function frameOf({ type, data, lastEventId }: ServerEvent): Frame {
  const cursor = lastEventId === '' ? {} : { cursor: lastEventId }
  return { ...(JSON.parse(data) as object), kind: type, ...cursor } as Frame
}
