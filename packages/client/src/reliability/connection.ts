import { asAgentError, unreachable, type AgentError } from './agent-error.ts'
import type { Backoff } from './pauses.ts'
import type { Platform } from './platform.ts'
import type { Clock, Frame } from '@cool-ai/beach-core'

/** Whether a conversation is connected, how, and when it is tried again. */
export interface Connection {
  /**
   * `waiting` for the next try, or `offline` when the platform says that there is no network (it is tried all the same; a
   * connection that was open is `open` again as soon as something comes over it); `closed` for good, by the caller or, with an `error`, by the agent.
   */
  readonly state: 'connecting' | 'open' | 'waiting' | 'offline' | 'closed'
  /** How frames come, while it is open. */
  readonly via?: Via | undefined
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt?: number
  readonly error?: AgentError | undefined
}

/** After so many missed heartbeats the connection is dead. */
const missedBeats = 2.5

/** A connection that has not opened by then is given up. */
const openWithinMs = 15_000

/** A connection that lasted this long was a good one: pauses begin small again after it. */
const steadyMs = 5_000

export interface KeepConnectedOptions<Message> {
  readonly carrier: Carrier<Message>
  readonly platform: Platform
  readonly pauses: Backoff
  /** The cursor to go on from. */
  readonly cursor?: () => string | undefined
  readonly onFrame: (frame: Message) => void
  readonly onConnection: (connection: Connection) => void
  readonly signal: AbortSignal
}

/** Connects, and connects again whenever the connection breaks; resolves with the error by which the agent has ended it. */
export async function keepConnected<Message>(options: KeepConnectedOptions<Message>): Promise<AgentError | undefined> {
  const { platform, pauses, signal, onConnection } = options
  const current: Current = {}
  const ignore = listenTo(platform, pauses, current)
  let failures = 0
  let ended: Ended | undefined
  try {
    while (!signal.aborted) {
      onConnection({ state: 'connecting', error: ended?.error })
      ended = await follow(options, current)
      const { error, openMs, retryMs } = ended
      if (signal.aborted) break
      if (!error.retryable) return error
      if (openMs >= steadyMs) failures = 0
      if (ended.wasLeft) continue
      const pause = pauses.after(failures++, error, retryMs)
      onConnection({ state: platform.online() ? 'waiting' : 'offline', retryAt: pause.until, error })
      await pause.over(signal)
    }
    return undefined
  } finally {
    ignore()
  }
}

interface Ended {
  readonly error: AgentError
  readonly openMs: number
  /** The longest first pause, as the agent wants it. */
  readonly retryMs: number | undefined
  /** True when it was given up for another one, which opens at once. */
  readonly wasLeft: boolean
}

interface Current {
  watch?: ReturnType<typeof watchdog>
  /** Says what an open connection counts as: offline while the network is said to have gone and nothing has come since. */
  show?: (state: 'open' | 'offline') => void
  /** Gives the connection up for another one. */
  leave?: (why: string) => void
}

/** Follows one connection to its end. */
async function follow<Message>(options: KeepConnectedOptions<Message>, current: Current): Promise<Ended> {
  const { carrier, platform, cursor, onFrame, onConnection } = options
  const { clock } = platform
  const abort = new AbortController()
  const watchFor = (ms: number, problem: string) => {
    current.watch?.stop()
    current.watch = watchdog(clock, ms, () => abort.abort(unreachable(problem)))
  }
  let openedAt: number | undefined
  let retryMs: number | undefined
  let wasLeft = false
  let shown: Connection['state'] | undefined
  let error: AgentError
  current.leave = (why) => {
    wasLeft = true
    abort.abort(unreachable(why))
  }
  watchFor(openWithinMs, 'The agent did not answer in time.')
  try {
    await carrier(
      cursor?.(),
      {
        opened(via, heartbeatMs = Infinity) {
          openedAt = clock.now()
          watchFor(missedBeats * heartbeatMs, 'Nothing has come from the agent for too long.')
          current.show = (state) => {
            if (state !== shown) onConnection({ state: (shown = state), via })
          }
          current.show('open')
        },
        activity() {
          current.watch?.activity()
          current.show?.('open')
        },
        frame: onFrame,
        retry: (ms) => (retryMs = ms),
      },
      AbortSignal.any([options.signal, abort.signal]),
    )
    error = unreachable('The agent has ended the connection.')
  } catch (cause) {
    error = asAgentError(abort.signal.aborted ? abort.signal.reason : cause)
  }
  current.watch?.stop()
  delete current.show
  // After any error, nothing of this connection may go on.
  abort.abort(error)
  return { error, openMs: openedAt === undefined ? 0 : clock.now() - openedAt, retryMs, wasLeft }
}

/** Reacts to the platform: connects when a network is back, or the machine has slept. */
function listenTo(platform: Platform, pauses: Backoff, current: Current): () => void {
  let offlineAt: number | undefined
  return platform.listen({
    offline() {
      offlineAt = platform.clock.now()
      current.show?.('offline')
    },
    online() {
      pauses.wake()
      // A network that has gone took its addresses with it, and the connection is not informed.
      const { lastActivityAt = Infinity } = current.watch ?? {}
      if (offlineAt !== undefined && lastActivityAt <= offlineAt) current.leave?.('The network has changed.')
      offlineAt = undefined
    },
    awake() {
      pauses.wake()
      if (current.watch?.isSilent === true) current.leave?.('This machine was asleep.')
    },
  })
}

/** Calls `onSilence` once, when nothing has come for `ms`; never when that is infinite. */
function watchdog(clock: Clock, ms: number, onSilence: () => void) {
  let lastActivityAt = clock.now()
  let cancel = () => {}
  const isSilent = () => {
    const silentMs = clock.now() - lastActivityAt
    // A clock that was set back would make this wait for as long again.
    return silentMs >= ms || silentMs < 0
  }
  const look = () => {
    if (isSilent()) onSilence()
    else if (ms < Infinity) cancel = clock.timer(lastActivityAt + ms - clock.now(), look)
  }
  look()
  return {
    get lastActivityAt() {
      return lastActivityAt
    },
    /** Timers stand still while the machine sleeps, so this may be true before they know. */
    get isSilent() {
      return isSilent()
    },
    activity() {
      lastActivityAt = clock.now()
    },
    stop: () => cancel(),
  }
}

/** By which transport a conversation is followed. */
export type Via = 'websocket' | 'sse'

export interface CarrierEvents<Message = Frame> {
  /** The agent has accepted: frames will come, and a heartbeat at least every `heartbeatMs` if there is one. */
  readonly opened: (via?: Via, heartbeatMs?: number) => void
  /** Anything has arrived, even if only a heartbeat. */
  readonly activity: () => void
  readonly frame: (frame: Message) => void
  /** How long the first pause is to be when this connection breaks. */
  readonly retry: (ms: number) => void
}

/**
 * One connection that brings a session's frames after a cursor. It resolves when the agent has ended it, and rejects
 * when it broke, was refused, or the signal aborted.
 */
export type Carrier<Message = Frame> = (
  after: string | undefined,
  events: CarrierEvents<Message>,
  signal: AbortSignal,
) => Promise<void>
