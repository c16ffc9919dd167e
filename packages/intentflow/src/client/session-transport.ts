import type { ServerEvent } from '../schemas/server-payloads.ts'
import { applyServerEvent } from '../state/apply-server-event.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { FlowClientError } from './flow-client-error.ts'
import { serverEventOf, answerOf, isRecord, type FlowTransport, type ReceivedEvent } from './transport.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What is used of a session that a Beach client follows; a `Conversation` is one. */
export interface FlowSession {
  readonly stream: {
    readonly parts: readonly SessionPart[]
    readonly began?: { readonly seq: number; readonly shown: Values } | undefined
    readonly lastCursor: string | undefined
    on(name: 'part', listener: (part: SessionPart) => void): () => void
    on(name: 'state', listener: () => void): () => void
  }
  tell(parts: readonly { readonly data: unknown; readonly metadata: { readonly partType: string } }[]): Promise<unknown>
}

interface SessionPart {
  readonly partType: string
  readonly data?: unknown
  /** Who said it; what people say is no event of the server's. */
  readonly role?: string
  /** With the `origin` of a part that another agent has said: its flows are not ours. */
  readonly metadata?: Values
}

/**
 * Events as parts of a session, which its own client keeps connected: what it shows is complete and in order. What had
 * happened before is shown as it stands now; nothing of it is done again.
 */
export function sessionTransport(session: FlowSession): FlowTransport {
  const { stream } = session

  /** The flows that are active, by all that the session has shown. */
  const activeFlows = (): ActiveFlows => {
    const { began, lastCursor } = stream
    const shown = isRecord(began?.shown.activeFlows) ? (began.shown.activeFlows as ActiveFlows) : {}
    // Half of what had happened before would show flows that are long over.
    if (began !== undefined && Number(lastCursor ?? 0) < began.seq) return shown
    return stream.parts.reduce((flows, part) => {
      const event = flowEventOf(part)
      return event === undefined ? flows : applyServerEvent(flows, event)
    }, shown)
  }

  return {
    async send({ events = [], known }) {
      if (known !== undefined) return { results: [], activeFlows: activeFlows() }
      const parts = events.map(({ name, value }) => ({ data: value, metadata: { partType: name } }))
      const reply = await session.tell(parts)
      if (isRecord(reply) && isRecord(reply.heard)) return answerOf(reply.heard)
      throw new FlowClientError('BAD_REQUEST', 'This agent has no flows: it took the event for a message.')
    },

    listen(onEvent) {
      const show = () => onEvent({ type: 'STATE_SNAPSHOT', snapshot: { activeFlows: activeFlows() } })
      if (stream.parts.length > 0 || stream.began !== undefined) show()
      let isShown = stream.began !== undefined
      const leave = [
        stream.on('state', () => {
          if (isShown || stream.began === undefined) return
          isShown = true
          show()
        }),
        stream.on('part', (part) => {
          const { began, lastCursor } = stream
          const event = flowEventOf(part)
          // Up to where the stream began, all is in what it has shown then.
          if (event !== undefined && !(began !== undefined && Number(lastCursor) <= began.seq)) onEvent(event)
        }),
      ]
      return () => {
        for (const end of leave) end()
      }
    },
  }
}

function flowEventOf({ partType, data, role, metadata }: SessionPart): (ServerEvent & ReceivedEvent) | undefined {
  if (role === 'user' || isRecord(metadata?.origin)) return undefined
  return serverEventOf({ type: 'CUSTOM', name: partType, value: data })
}
