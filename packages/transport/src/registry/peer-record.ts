import { cardRefused, type CacheDefaults } from '@cool-ai/beach-channel/cards'
import { parseOrigin, type GuardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { isBeachError, type BeachError, type Runtime } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { peerFailure } from './peer-failure.ts'
import { freshUntil, isFresh, localCard, nextCard, type CachedCard } from './next-card.ts'
import type { LocalTransport, Peer, PeerListing, PeerStatus, PeerTransport } from './peer.ts'
import { originsOfSameDomain } from './registrable-domain.ts'
import { originOf, usableTransports } from './usable-transports.ts'

export interface PeerRecordOptions {
  readonly fetch: GuardedFetch
  readonly runtime: Runtime
  readonly cache: CacheDefaults
  /** How long a card is used after it is no longer fresh while no good one can be fetched. */
  readonly staleMs: number
  readonly signal: AbortSignal
  /** Takes an id for this record for good, or throws when it is taken. */
  readonly claim: (record: PeerRecord, id: string) => Promise<void>
}

/** How soon a card that could not be read is requested again by a caller that only wants to use the peer. */
const retryMs = 30_000

/** One listed peer: its last good card, how fresh that is, and the failures since. */
export class PeerRecord {
  readonly #listing: PeerListing
  readonly #options: PeerRecordOptions
  readonly #cardUrl: string | undefined
  readonly #allow: readonly string[]
  readonly #local: readonly LocalTransport[]
  #id: string | undefined
  #held: CachedCard | undefined
  /** The origins of its endpoints that are of the same registrable domain as the card. */
  #sameDomain: ReadonlySet<string> = new Set()
  #failure: BeachError | undefined
  #failedAt = 0
  #reading: Promise<void> | undefined

  constructor(listing: PeerListing, options: PeerRecordOptions) {
    this.#listing = listing
    this.#options = options
    this.#id = listing.id
    this.#cardUrl = cardAddress(listing)
    this.#local = listing.transports ?? []
    // The addresses that the local configuration names are allowed.
    const named = this.#local.flatMap(({ endpoint }) => originOf(endpoint) ?? [])
    this.#allow = [...new Set([...(listing.allowOrigins ?? []).map(parseOrigin), ...named])]
  }

  /** The id of the listing, else the one that its card was first read with. */
  get id(): string | undefined {
    return this.#id
  }

  get reading(): Promise<void> | undefined {
    return this.#reading
  }

  get failure(): BeachError | undefined {
    return this.#failure
  }

  /** Whether the card is there and need not be requested again yet. */
  get isFresh(): boolean {
    return this.#failure === undefined && this.#held !== undefined && isFresh(this.#held, this.#now)
  }

  /** Whether a failed attempt is so recent that another one is not worth it. */
  get isResting(): boolean {
    return this.#failure !== undefined && elapsed(this.#options.runtime.clock) < this.#failedAt + retryMs
  }

  /** The peer by its last good card, unless that is too old to be used. */
  get peer(): Peer | undefined {
    const held = this.#held
    if (held === undefined || this.#id === undefined || this.#isTooOld(held)) return undefined
    const { card, signature, checkedAt } = held
    const origins = { card: this.#cardOrigin, sameDomain: this.#sameDomain, allow: this.#allow }
    const { accepted, refused } = usableTransports(this.#local, card.transports, origins)
    return {
      id: this.#id,
      card,
      transports: accepted,
      refused,
      guard: this.#guard(accepted),
      signature,
      cardUrl: this.#cardUrl,
      credentials: this.#listing.credentials,
      checkedAt,
      staleSince: isFresh(held, this.#now) ? undefined : freshUntil(held),
    }
  }

  get status(): PeerStatus {
    return { id: this.#id, cardUrl: this.#cardUrl, peer: this.peer, failure: this.#failure }
  }

  /** Reads the card, once for all callers at the same time. Does not throw: failures are in the status. */
  async read(): Promise<void> {
    this.#reading ??= this.#attempt().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  get #now(): number {
    return this.#options.runtime.clock.now()
  }

  get #cardOrigin(): string | undefined {
    return this.#cardUrl === undefined ? undefined : new URL(this.#cardUrl).origin
  }

  #isTooOld(held: CachedCard): boolean {
    const staleMs = held.policy.mayBeStale ? this.#options.staleMs : 0
    return this.#failure !== undefined && this.#now >= freshUntil(held) + staleMs
  }

  async #attempt(): Promise<void> {
    try {
      const held = await this.#ask()
      await this.#takeId(held.card.id)
      const sameDomain = await this.#sameDomainIn(held)
      this.#noteVersion(held.card.version)
      this.#held = held
      this.#sameDomain = sameDomain
      this.#failure = undefined
    } catch (error) {
      this.#failure = peerFailure(this.#name, error)
      this.#failedAt = elapsed(this.#options.runtime.clock)
      // A peer that answers 410 has gone.
      if (isBeachError(error) && error.details.status === 410) this.#held = undefined
      this.#options.runtime.logger.log('warn', 'the card of a peer cannot be used', { error: this.#failure })
    }
  }

  async #ask(): Promise<CachedCard> {
    const { card, trust } = this.#listing
    if (this.#cardUrl === undefined) return this.#held ?? localCard(card, trust, this.#now)
    const { clock } = this.#options.runtime
    return nextCard(this.#cardUrl, this.#held, { ...this.#options, guard: this.#guard([]), trust, clock })
  }

  async #sameDomainIn({ card }: CachedCard): Promise<ReadonlySet<string>> {
    if (this.#cardUrl === undefined || card === this.#held?.card) return this.#sameDomain
    const endpoints = card.transports.flatMap(({ endpoint }) => originOf(endpoint) ?? [])
    return originsOfSameDomain(this.#cardUrl, endpoints)
  }

  async #takeId(id: string | undefined): Promise<void> {
    if (this.#id === undefined) {
      if (id === undefined) throw cardRefused('no-id', 'It says no id. Give the peer one where it is listed.')
      await this.#options.claim(this, id)
      this.#id = id
    } else if (id !== undefined && id !== this.#id) {
      throw cardRefused('other-id', `It says that it is '${id}'. Check its address, or list the peer by that id.`)
    }
  }

  // A new major version says that the agent may no longer do what it did.
  #noteVersion(to: string): void {
    const from = this.#held?.card.version ?? to
    if (majorOf(from) === majorOf(to)) return
    this.#options.runtime.logger.log('warn', 'a peer has a new major version', { peer: this.#id, from, to })
  }

  #guard(accepted: readonly PeerTransport[]): Peer['guard'] {
    const own = this.#cardOrigin === undefined ? [] : [this.#cardOrigin]
    const origins = accepted.flatMap(({ endpoint }) => originOf(endpoint) ?? [])
    return { allow: this.#allow, only: [...new Set([...own, ...this.#allow, ...origins])] }
  }

  get #name(): string {
    if (this.#id !== undefined) return `'${this.#id}'`
    return this.#cardUrl === undefined ? 'a listed peer' : `the peer at ${new URL(this.#cardUrl).host}`
  }
}

function majorOf(version: string): string | undefined {
  return version.split('.', 1)[0]
}

/** Where a listed peer's card is fetched from; undefined when the listing has the card itself. */
function cardAddress({ url, cardUrl }: PeerListing): string | undefined {
  const given = cardUrl ?? url
  if (given === undefined) return undefined
  const address = new URL(given)
  const isFolder = cardUrl === undefined && address.pathname.endsWith('/') && address.search === ''
  return isFolder ? new URL('.well-known/agent-card.json', address).href : address.href
}
