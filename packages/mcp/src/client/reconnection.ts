import type { Clock } from '@cool-ai/beach-core'
import type { ReconnectionScheduler } from '@modelcontextprotocol/client'

const minMs = 1_000

/** Takes up streams that have ended when the server wants it, but not sooner than it is good for both sides. */
export function reconnectionOn(clock: Clock): ReconnectionScheduler {
  return (reconnect, delayMs) => clock.timer(Math.max(delayMs, minMs), reconnect)
}
