import { principalKey, type Originator, type Principal } from '@cool-ai/beach-core'
import type { CallerMetadata } from '../peers/message-metadata.ts'

/** The versions of A2A that are spoken here. */
export type A2aVersion = '1.0' | '0.3'

/** Who makes a request, and how. */
export interface Caller {
  readonly principal: Principal
  readonly version: A2aVersion
  /** Aborts when the caller has gone, or the agent ends. */
  readonly signal: AbortSignal
}

/** What a caller said of itself with a message. */
export type SaidOfCaller = Pick<CallerMetadata, 'consumes' | 'card'> & { readonly via?: readonly string[] }

/** The caller as somebody in a session. */
export function originatorOf(
  session: string,
  { principal }: Caller,
  deliveryClass: Originator['deliveryClass'],
  { consumes, card, via }: SaidOfCaller = {},
): Originator {
  return {
    id: `a2a:${session}:${principalKey(principal)}`,
    transport: 'a2a',
    deliveryClass,
    principal,
    ...(consumes && { consumes }),
    ...(card !== undefined && { card }),
    ...(via && via.length > 0 && { via }),
  }
}
