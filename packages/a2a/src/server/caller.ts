import type { CardReader } from '@cool-ai/beach-channel/cards'
import type { CallerMetadata } from '@cool-ai/beach-channel/peers'
import type { Originator, Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { GuestContext } from './guests.ts'

/** The versions of A2A that are spoken here. */
export type A2aVersion = '1.0' | '0.3'

/** A way in: a binding, in a version of the protocol. */
export interface A2aInterface {
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
  readonly version: A2aVersion
}

/** Who makes a request, and how. */
export interface Caller {
  readonly principal: Principal
  readonly version: A2aVersion
  /** True for a caller without a credential: who it is depends on the context that it names. */
  readonly isGuest?: boolean
  /** The context of such a caller, once it is known; its principal is the caller's then. */
  readonly guest?: GuestContext
  /** Where the caller comes from, as far as that is known. */
  readonly network?: string | undefined
  /** The extensions of A2A that its request has activated. */
  readonly extensions?: readonly string[]
  /** Aborts when the caller has gone, or the agent ends. */
  readonly signal: AbortSignal
}

/** The caller in a context of its own. */
export function asGuest(caller: Caller, guest: GuestContext): Caller {
  return { ...caller, guest, principal: guest.principal }
}

/** What a caller said of itself with a message. */
export type CallerDeclaration = Pick<CallerMetadata, 'card' | 'consumes'> & {
  readonly catalogs?: readonly string[] | undefined
  readonly llmContextLanguage?: string | undefined
  readonly via?: readonly string[] | undefined
}

/**
 * What a caller has said, with what its Agent Card says that it consumes and knows. What it claims without a card that
 * can be read gives it no more than a stranger gets; it is known as an agent that speaks Beach all the same. The catalogs
 * that a message names come before those of the card: the client that shows its answer may know fewer.
 */
export async function byItsCard(
  said: CallerDeclaration,
  { principal, isGuest, network }: Caller,
  cards: CardReader | undefined,
): Promise<CallerDeclaration> {
  if (said.card === undefined) return said.consumes === undefined ? said : { ...said, consumes: [] }
  const card = await cards?.of(said.card, { principal: isGuest === true ? undefined : principal, network })
  const { consumes = [], catalogs, llmContextLanguage } = card ?? {}
  return { ...said, consumes, catalogs: said.catalogs ?? catalogs, llmContextLanguage }
}

/** What a caller can do something with, as far as it has said so. */
export type Understood = Pick<Originator, 'consumes' | 'catalogs' | 'llmContextLanguage'>

export function understood({ consumes, catalogs, llmContextLanguage }: CallerDeclaration): Understood {
  return defined({ consumes, catalogs, llmContextLanguage })
}

/** The caller as a participant of a session. */
export function originatorOf(
  session: string,
  { principal }: Caller,
  deliveryClass: Originator['deliveryClass'],
  said: CallerDeclaration = {},
): Originator {
  const { card, via } = said
  return defined({
    id: `a2a:${session}:${principalKey(principal)}`,
    transport: 'a2a',
    deliveryClass,
    principal,
    ...understood(said),
    card,
    via: via?.length === 0 ? undefined : via,
  })
}
