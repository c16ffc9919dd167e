import { asFlowClientError, unreachable } from './flow-client-error.ts'
import { eventReader } from './event-stream.ts'
import { jsonIn, post, refusalOf, type ServerOptions } from './http.ts'
import { platformOf } from './platform.ts'
import { answerOf, isRecord, type FlowTransport, type ReceivedEvent } from './transport.ts'

export interface PostTransportOptions extends ServerOptions {
  readonly threadId: string
}

/** A request that nobody has answered by then counts as lost. */
const answerWithinMs = 30_000

/** A stream that is silent for longer is dead: servers send something at least every 15 seconds. */
const silentMs = 40_000

/** Events by POST, and the server's events by a run of AG-UI that goes on listening. */
export function postTransport(options: PostTransportOptions): FlowTransport {
  const { threadId } = options
  const { clock, id } = platformOf({})
  return {
    async send(said, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)])
      const init = { accept: 'application/json', signal: within }
      const response = await post(options, '/intentflow/events', { threadId, ...said }, init)
      const body = await jsonIn(response)
      // One that was rejected is an answer like others, whatever the status.
      if (isRecord(body) && Array.isArray(body.results)) return answerOf(body)
      if (!response.ok) throw refusalOf(response, body)
      throw unreachable('What answered is not the server: it sent no results.')
    },

    async follow(said, events, signal) {
      const end = new AbortController()
      const both = AbortSignal.any([signal, end.signal])
      let cancel = () => {}
      const heard = () => {
        cancel()
        cancel = clock.timer(silentMs, () => end.abort(unreachable('Nothing has come from the server for too long.')))
      }
      heard()
      try {
        const forwardedProps = { intentflow: { ...said, subscribe: true } }
        const run = { threadId, runId: id(), messages: [], tools: [], context: [], state: {}, forwardedProps }
        const response = await post(options, '/agui', run, { accept: 'text/event-stream', signal: both })
        if (!response.ok) throw refusalOf(response, await jsonIn(response))
        events.opened()
        const reader = eventReader((value) => {
          const event = value as ReceivedEvent & { readonly message?: string }
          if (event.type === 'RUN_ERROR') throw unreachable(event.message ?? 'The server could not go on.')
          events.event(event)
        })
        await readAll(response, (bytes) => {
          heard()
          reader.push(bytes)
        })
      } catch (error) {
        throw asFlowClientError(both.aborted ? both.reason : error)
      } finally {
        cancel()
        end.abort()
      }
    },
  }
}

async function readAll({ body }: Response, onBytes: (bytes: Uint8Array) => void): Promise<void> {
  const reader = body?.getReader()
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || value === undefined) return
    onBytes(value)
  }
}
