import type { BeachError } from '@cool-ai/beach-core'
import type { CardTransport, ReadAgentCard, TrustedKeys, VerifiedSignature } from '@cool-ai/beach-protocol/agent-card'

/** Whose signatures count for a peer's card. */
export type PeerTrust = TrustedKeys & {
  /** Whether a card without a trusted signature is refused; true unless given. */
  readonly require?: boolean | undefined
  /** Also accepts what the SDKs sign, which is not all of a card. */
  readonly allowPartial?: boolean | undefined
}

/** A way to reach a peer that the local configuration names. */
export interface LocalTransport {
  readonly protocol: string
  readonly version?: string | undefined
  readonly endpoint: string
  readonly [field: string]: unknown
}

/** A peer as the local configuration lists it, by exactly one of url, cardUrl and card. */
export interface PeerListing {
  /** The id that it is known by here; its card must not name another. Needed when the card has none. */
  readonly id?: string | undefined
  /** The address of its card, or of a folder (with `/` at the end) that has `.well-known/agent-card.json` in it. */
  readonly url?: string | undefined
  /** The address of its card. */
  readonly cardUrl?: string | undefined
  /** The card itself. */
  readonly card?: unknown
  /** Origins besides the card's own that its endpoints may lie on; these need not be public, nor https. */
  readonly allowOrigins?: readonly string[] | undefined
  readonly trust?: PeerTrust | undefined
  /** Transports besides those of its card, such as `stdio://` commands; they come first. */
  readonly transports?: readonly LocalTransport[] | undefined
  /** The name under which the local secret source has its credentials; never a secret itself. */
  readonly credentials?: string | undefined
}

/** A transport of a peer that may be used. */
export type PeerTransport = CardTransport & { readonly source: 'local' | 'card' }

/** A transport that a peer's card names and that may not be used. */
export interface RefusedTransport {
  readonly transport: CardTransport
  readonly reason: string
}

/** A peer whose card has been read. */
export interface Peer {
  readonly id: string
  /** The whole card, as its peer wrote it. Callers of the peer use `transports`, not the addresses in here. */
  readonly card: ReadAgentCard
  /** The transports that may be used. */
  readonly transports: readonly PeerTransport[]
  readonly refused: readonly RefusedTransport[]
  /** Where requests to this peer may go, as `guard` of a guarded fetch. */
  readonly guard: { readonly allow: readonly string[]; readonly only: readonly string[] }
  /** Whose signature the card has; absent when no trust is configured, or a card without one was accepted. */
  readonly signature?: VerifiedSignature | undefined
  readonly cardUrl?: string | undefined
  readonly credentials?: string | undefined
  /** When the card was last known to be current. */
  readonly checkedAt: number
  /** Since when the card is older than its publisher wants; absent while it is fresh. */
  readonly staleSince?: number | undefined
}

/** The status of a listed peer. */
export interface PeerStatus {
  /** The id of the listing, else of its card. */
  readonly id?: string | undefined
  readonly cardUrl?: string | undefined
  readonly peer?: Peer | undefined
  /** Why the last attempt to read its card failed; `peer` is then the last good one. */
  readonly failure?: BeachError | undefined
}
