import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { SseEvents, type SseOptions, type SseOutlet } from './sse-events.ts'

/**
 * Writes texts as server-sent events to a response of `node:http`, as fast as its reader takes them. The headers go with
 * the first of them.
 */
export function sseToNode(
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  source: AsyncIterator<string>,
  options: SseOptions,
): void {
  const events = new SseEvents(source, outletOf(response), options)
  response.once('close', () => events.end())
  // A connection that breaks is closed too, without a listener.
  response.on('error', () => {})
  if (response.destroyed) return events.end()
  response.writeHead(200, headers)
  let isPouring = false
  const pour = async () => {
    if (isPouring) return
    isPouring = true
    while (!events.isOver && !response.writableNeedDrain) await events.next()
    isPouring = false
  }
  const go = () => void pour().catch(() => response.destroy())
  response.on('drain', go)
  go()
}

function outletOf(response: ServerResponse): SseOutlet {
  let isFirst = true
  return {
    hasRoom: () => !response.writableNeedDrain,
    write(text) {
      // Node keeps what is written until all that can be done now is done, which for a new task is the turn's beginning.
      const { socket } = response
      if (isFirst) socket?.cork()
      response.write(text)
      if (isFirst) socket?.uncork()
      isFirst = false
    },
    close: () => response.end(),
    drop: () => response.destroy(),
  }
}
