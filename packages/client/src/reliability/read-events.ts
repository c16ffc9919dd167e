import { unreachable } from './agent-error.ts'
import { eventParser, type EventHandlers } from './event-parser.ts'

/** The stream itself does not say how often a sign of life comes; this is what agents do. */
export const heartbeatMs = 15_000

/** Reads the server-sent events of an answer until the agent ends it. */
export async function readEvents(
  { body, headers }: Response,
  told: EventHandlers & { readonly opened: () => void; readonly heard: () => void },
): Promise<void> {
  const type = headers.get('content-type') ?? 'nothing'
  if (body === null || !type.startsWith('text/event-stream')) {
    await body?.cancel()
    throw unreachable(`What answered is not the agent: it sent ${type}, not an event stream.`)
  }
  told.opened()
  const parser = eventParser(told)
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    told.heard()
    parser.push(value)
  }
}
