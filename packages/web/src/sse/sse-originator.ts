import type { Originator, Principal } from '@cool-ai/beach-core'

/** A follower of a session by server-sent events. */
export function sseOriginator(session: string, principal: Principal): Originator {
  return { id: `sse:${session}:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}
