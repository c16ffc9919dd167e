import type { Clock } from '@cool-ai/beach-core'
import { asFlowClientError, unreachable, type FlowClientError } from './flow-client-error.ts'
import type { Pauses } from './pauses.ts'
import type { FlowTransport, ReceivedEvent, Said } from './transport.ts'

/** Whether the server's events come. */
export interface FlowConnection {
  /** `waiting` for the next try; `idle` when the transport only brings events while something is sent. */
  readonly state: 'connecting' | 'open' | 'waiting' | 'idle' | 'closed'
  /** Why the last connection ended. */
  readonly error?: FlowClientError
}

/** A connection that lasted this long was a good one: pauses begin small again after it. */
const steadyMs = 5_000

export interface FollowingOptions {
  readonly transport: FlowTransport
  /** What to say when a connection begins. */
  readonly said: () => Said
  readonly pauses: Pauses
  readonly clock: Clock
  readonly onEvent: (event: ReceivedEvent) => void
  readonly onConnection: (connection: FlowConnection) => void
  readonly signal: AbortSignal
}

/** Connects, and again whenever the connection ends, until the signal aborts or the server refuses. */
export async function keepFollowing(options: FollowingOptions): Promise<void> {
  const { transport, pauses, clock, onConnection, onEvent, signal } = options
  if (transport.follow === undefined) {
    onConnection({ state: 'idle' })
    return
  }
  let last: { error?: FlowClientError } = {}
  for (let failures = 0; !signal.aborted;) {
    onConnection({ state: 'connecting', ...last })
    // Whatever goes wrong, nothing of this connection may go on.
    const end = new AbortController()
    let openedAt = Infinity
    const opened = () => {
      if (end.signal.aborted) return
      openedAt = clock.now()
      onConnection({ state: 'open' })
    }
    const event = (given: ReceivedEvent) => {
      if (!end.signal.aborted) onEvent(given)
    }
    let error: FlowClientError
    try {
      await transport.follow(options.said(), { opened, event }, AbortSignal.any([signal, end.signal]))
      error = unreachable('The server has ended the connection.')
    } catch (cause) {
      error = asFlowClientError(cause)
    }
    end.abort(error)
    if (signal.aborted) break
    if (clock.now() - openedAt >= steadyMs) failures = 0
    if (!error.retryable) {
      onConnection({ state: 'closed', error })
      return
    }
    last = { error }
    onConnection({ state: 'waiting', error })
    await pauses.after(failures++, error, signal)
  }
  onConnection({ state: 'closed' })
}
