import type { Originator, Principal } from '@cool-ai/beach-core'

/** Whoever follows a session by server-sent events. */
export function sseOriginator(session: string, principal: Principal): Originator {
  return { id: `sse:${session}:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}
