import { asAgentError } from './reliability/agent-error.ts'
import type { Carrier } from './reliability/connection.ts'

/**
 * Two carriers as one: the second is used when the first does not get through. It also says why: browsers do not tell
 * what a WebSocket was refused for. Where only the second has ever opened, the first is not tried again.
 */
export function fallingBack(first: Carrier, second: Carrier): Carrier {
  let firstWorks = false
  let onlySecond = false
  return async (after, events, signal) => {
    let opened = false
    if (!onlySecond) {
      const openedFirst: typeof events.opened = (...how) => {
        opened = true
        firstWorks = true
        events.opened(...how)
      }
      try {
        return await first(after, { ...events, opened: openedFirst }, signal)
      } catch (error) {
        if (opened || signal.aborted || !asAgentError(error).retryable) throw error
      }
    }
    const openedSecond: typeof events.opened = (...how) => {
      onlySecond = !firstWorks
      events.opened(...how)
    }
    await second(after, { ...events, opened: openedSecond }, signal)
  }
}
