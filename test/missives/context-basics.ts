import type { ActorContext } from '@cool-ai/beach'
import type { Originator, Part, Principal } from '@cool-ai/beach-core'

export const ann: Principal = { kind: 'user', id: 'ann', tenant: 'default' }
export const bob: Principal = { kind: 'user', id: 'bob', tenant: 'default' }
export const operator: Principal = { kind: 'operator', id: 'ops', tenant: 'default' }

export function viewer(principal: Principal = ann): Originator {
  return { id: `sse:${principal.id}`, transport: 'sse', deliveryClass: 'streaming', principal }
}

export function mailer(address: string, principal: Principal): Originator {
  return { id: `smtp:${address}`, transport: 'smtp', deliveryClass: 'buffered', principal, address }
}

export function text(words: string, partType = 'message'): Part {
  return { text: words, metadata: { partType } }
}

/** Answers each message with its own words, and moves the state machine when it is asked to book. */
export async function echo({ messages, respond }: ActorContext): Promise<void> {
  const words = messages.flatMap(({ parts }) => parts.map((part) => part.text ?? '')).join(' ')
  const parts = [{ partType: 'response', text: `You said: ${words}` }]
  const moved = words.includes('book') ? [{ partType: 'setState', data: { 'trip.stage': 'booked' } }] : []
  const thoughts = words.includes('think') ? [{ partType: 'reasoning-trace', text: 'a private thought' }] : []
  await respond({ parts: [...parts, ...moved, ...thoughts], turnState: 'complete' })
}
