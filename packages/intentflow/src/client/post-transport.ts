import {
  heartbeatMs,
  platformOf,
  readEvents,
  requestsTo,
  unreachable,
  type RequestOptions,
} from '@cool-ai/beach-client/reliability'
import { answerOf, isRecord, type FlowTransport, type ReceivedEvent } from './transport.ts'

/** Where requests of flows go. */
export type ServerOptions = Omit<RequestOptions, 'token'>

/** Where flows are posted, and for which thread. */
export interface PostTransportOptions extends ServerOptions {
  readonly threadId: string
}

/** Events by POST, and the server's events by a run of AG-UI that goes on listening. */
export function postTransport(options: PostTransportOptions): FlowTransport {
  const { threadId } = options
  const { clock, key } = platformOf({})
  return {
    async send(said, signal) {
      // One that was rejected is an answer like others, whatever the status.
      const how = { signal, isAnswer: hasResults }
      const body = await requestsTo(options, clock).post('/intentflow/events', { threadId, ...said }, how)
      if (!hasResults(body)) throw unreachable('What answered is not the server: it sent no results.')
      return answerOf(body)
    },

    async follow(said, events, signal) {
      const forwardedProps = { intentflow: { ...said, subscribe: true } }
      const body = { threadId, runId: `run_${key()}`, messages: [], tools: [], context: [], state: {}, forwardedProps }
      const headers = { accept: 'text/event-stream' }
      await readEvents(await requestsTo(options, clock).open('/agui', { headers, body, signal }), {
        opened: () => events.opened(heartbeatMs),
        activity: () => events.activity?.(),
        event({ data }) {
          const event = JSON.parse(data) as ReceivedEvent & { readonly message?: string }
          if (event.type === 'RUN_ERROR') throw unreachable(event.message ?? 'The server could not go on.')
          events.event(event)
        },
      })
    },
  }
}

function hasResults(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body.results)
}
