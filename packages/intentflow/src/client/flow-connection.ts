import { keepConnected, type Connection, type Backoff, type Platform } from '@cool-ai/beach-client/reliability'
import { asFlowClientError, type FlowClientError } from './flow-client-error.ts'
import type { FlowTransport, ReceivedEvent, ClientRequest } from './transport.ts'

/** Whether a client of flows is connected. */
export interface FlowConnection {
  /** `waiting` for the next try; `idle` when the transport only brings events while something is sent. */
  readonly state: 'connecting' | 'open' | 'waiting' | 'idle' | 'closed'
  /** Why the last connection ended. */
  readonly error?: FlowClientError | undefined
}

export interface FollowOptions {
  readonly transport: FlowTransport
  readonly said: () => ClientRequest
  readonly platform: Platform
  readonly pauses: Backoff
  readonly onEvent: (event: ReceivedEvent) => void
  readonly onConnection: (connection: FlowConnection) => void
  readonly signal: AbortSignal
}

/** Follows the server, over broken connections, until the signal aborts or the server refuses. */
export async function follow(options: FollowOptions): Promise<void> {
  const { transport, platform, pauses, onEvent, onConnection, signal } = options
  if (transport.follow === undefined) {
    const ignore = platform.listen({ offline() {}, online: pauses.wake, awake: pauses.wake })
    signal.addEventListener('abort', ignore)
    onConnection({ state: 'idle' })
    return
  }
  const refused = await keepConnected<ReceivedEvent>({
    async carrier(_after, { opened, activity, frame }, ended) {
      // Whatever a transport does, nothing of a connection that has ended may go on.
      const unlessEnded = (run: () => void) => (ended.aborted ? undefined : run())
      const reply = {
        opened: (heartbeatMs?: number) => unlessEnded(() => opened(undefined, heartbeatMs)),
        activity,
        heard: activity,
        event: (event: ReceivedEvent) =>
          unlessEnded(() => {
            activity()
            frame(event)
          }),
      }
      await transport.follow?.(options.said(), reply, ended)
    },
    platform,
    pauses,
    onFrame: onEvent,
    onConnection: (connection) => onConnection(shown(connection)),
    signal,
  })
  onConnection(shown({ state: 'closed', error: refused }))
}

function shown({ state, error }: Connection): FlowConnection {
  return { state: state === 'offline' ? 'waiting' : state, error: error && asFlowClientError(error) }
}
