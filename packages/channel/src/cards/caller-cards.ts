import { isBeachError, type Principal, type Runtime } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { defined, elapsed, LruMap, raceAbort } from '@cool-ai/beach-core/runtime'
import {
  cardCatalogs,
  readAgentCard,
  verifyAgentCard,
  type ReadAgentCard,
  type TrustedKeys,
} from '@cool-ai/beach-protocol/agent-card'
import type { GuardedFetch, RequestGuard } from '../guarded-fetch/guarded-fetch.ts'
import { Allowances } from '../admission/allowances.ts'
import type { UseSharing } from '../admission/use-sharing.ts'
import { cachePolicy, type CachePolicy } from './cache-policy.ts'
import { cardRefused } from './card-refusal.ts'
import { fetchCard, fetchKeys, tagIn } from './fetch-card.ts'

/** The members of a caller's Agent Card that decide what the caller is sent. */
export interface CallerCard {
  readonly consumes: readonly string[]
  /** The catalogs of surfaces that it knows; absent when its card does not say. */
  readonly catalogs?: readonly string[]
  /** The language of llm-context, as a tag; absent when its card does not say. */
  readonly llmContextLanguage?: string
}

/** Who names a card. */
export interface CardNaming {
  /** Undefined for a caller without a credential. */
  readonly principal?: Principal | undefined
  readonly network?: string | undefined
}

/** Reads the cards that callers name. */
export interface CardReader {
  /**
   * What the card at this address says; undefined when it cannot be fetched in time, or is not trusted. Never throws.
   */
  of(address: string, by: CardNaming): Promise<CallerCard | undefined>
}

/** How the Agent Cards of callers are read. */
export interface CallerCardsOptions {
  readonly fetch: GuardedFetch
  readonly runtime: Runtime
  /** Origins of cards that need not be public, nor https. */
  readonly allowOrigins?: readonly string[] | undefined
  /** The card of a peer that the configuration lists with this address, by the trust configured there. */
  readonly listed?: ((address: string) => Promise<ReadAgentCard> | undefined) | undefined
  /** Counts what callers make the agent request with that of other processes. */
  readonly sharing?: UseSharing | undefined
  readonly signal: AbortSignal
}

interface Held {
  readonly card: CallerCard
  readonly tag: string | undefined
  readonly policy: CachePolicy
  readonly checkedAt: number
}

interface Entry {
  held?: Held
  reading?: Promise<void>
  /** When the last attempt failed. */
  failedAt?: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const minAgeMs = 60_000
const cache = { defaultMaxAgeMs: hourMs, maxAgeMs: dayMs }
/** How long a message waits for the card of its caller. The read goes on, for the next message. */
const waitMs = 2_000
const limits = { totalMs: 10_000, headersMs: 5_000, idleMs: 5_000 }
/** How soon a card that could not be fetched is requested again. */
const restMs = 60_000
const maxCards = 1_000
const maxReading = 32
/** Addresses that one caller makes the agent request. */
const perCaller = { max: 5, window: 'minute' } as const
const maxNames = 200
const maxNameLength = 200
const maxLanguageLength = 35

/**
 * The cards that callers name. An address is the caller's claim, so it leads to a card at its well-known place and
 * nowhere else, and costs little: few requests for each caller, few at a time, and a failed one is not repeated at
 * once.
 */
export class CallerCards implements CardReader {
  readonly #options: CallerCardsOptions
  readonly #entries = new LruMap<Entry>(maxCards, ({ reading }) => reading !== undefined)
  readonly #allowances: Allowances
  #reading = 0

  constructor(options: CallerCardsOptions) {
    this.#options = options
    this.#allowances = new Allowances({ clock: options.runtime.clock, sharing: options.sharing })
  }

  async of(address: string, by: CardNaming): Promise<CallerCard | undefined> {
    if (!isCardAddress(address)) return undefined
    const listed = this.#options.listed?.(address)
    if (listed !== undefined) return this.#inTime(listed.then(callerCard, () => undefined))
    const entry = this.#entries.get(address) ?? {}
    if (this.#isFresh(entry)) return entry.held?.card
    await this.#inTime(entry.reading ?? this.#begin(address, entry, by))
    return this.#usable(entry)
  }

  #isFresh({ held }: Entry): boolean {
    const now = this.#options.runtime.clock.now()
    return held !== undefined && now < held.checkedAt + held.policy.maxAgeMs && held.checkedAt <= now
  }

  /** The card as it was last read, unless it is too old. */
  #usable({ held }: Entry): CallerCard | undefined {
    if (held === undefined) return undefined
    const { maxAgeMs, mayBeStale } = held.policy
    const until = held.checkedAt + maxAgeMs + (mayBeStale ? dayMs : 0)
    return this.#options.runtime.clock.now() <= until ? held.card : undefined
  }

  /** Requests a card, unless that failed a short while ago, or happens too often. */
  async #begin(address: string, entry: Entry, { principal, network = '' }: CardNaming): Promise<void> {
    const { clock } = this.#options.runtime
    if (entry.failedAt !== undefined && elapsed(clock) < entry.failedAt + restMs) return
    // A guest can have as many tokens as it wants.
    const isGuest = principal === undefined || principal.kind === 'anonymous'
    const caller = isGuest ? network : `${principal.tenant}~${principalKey(principal)}`
    if (this.#reading >= maxReading || this.#allowances.take(`cards ${caller}`, 1, perCaller) > 0) return
    this.#reading++
    this.#entries.set(address, entry)
    entry.reading = this.#read(address, entry).finally(() => {
      delete entry.reading
      this.#reading--
    })
    return entry.reading
  }

  async #read(address: string, entry: Entry): Promise<void> {
    const { runtime } = this.#options
    try {
      entry.held = await this.#next(address, entry.held)
      delete entry.failedAt
    } catch (error) {
      entry.failedAt = elapsed(runtime.clock)
      if (isBeachError(error) && (error.code === 'CARD_REFUSED' || error.details.status === 410)) delete entry.held
      runtime.logger.log('warn', "a caller's card cannot be used", { card: address, error })
    }
  }

  async #next(address: string, held: Held | undefined): Promise<Held> {
    const { fetch, runtime, allowOrigins = [], signal } = this.#options
    const guard: RequestGuard = { allow: allowOrigins, only: [new URL(address).origin], limits }
    const asking = { fetch, guard, signal }
    const { text, headers } = await fetchCard({ ...asking, url: address, tag: held?.tag })
    const checkedAt = runtime.clock.now()
    const policy = policyOf(headers, checkedAt)
    if (text === undefined && held !== undefined) return { ...held, policy, checkedAt }
    const read = believed(text ?? '')
    await checkSignatures(read, () => fetchKeys({ ...asking, url: new URL('/.well-known/jwks.json', address).href }))
    return { card: callerCard(read), tag: policy.mayBeKept ? tagIn(headers) : undefined, policy, checkedAt }
  }

  /** The result by the time that a message can wait for. */
  async #inTime<Value>(work: Promise<Value>): Promise<Value | undefined> {
    const late = new AbortController()
    const cancel = this.#options.runtime.clock.timer(waitMs, () => late.abort())
    try {
      return await raceAbort(work, late.signal)
    } catch {
      return undefined
    } finally {
      cancel()
    }
  }
}

/** How long a card is cached, by what its publisher says; at least so long that not every message requests it. */
function policyOf(headers: Headers, now: number): CachePolicy {
  const said = cachePolicy(headers, now, cache) ?? { maxAgeMs: hourMs, mayBeStale: true, mayBeKept: true }
  return { ...said, maxAgeMs: Math.max(said.maxAgeMs, minAgeMs) }
}

/** Whether an address is one at which agents publish their cards; others are not fetched because a caller says so. */
function isCardAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { pathname, search, hash } = new URL(address)
  return pathname.endsWith('/.well-known/agent-card.json') && search === '' && hash === ''
}

function callerCard(read: ReadAgentCard): CallerCard {
  const { consumes, llmContextLanguage } = read.envelope
  const catalogs = cardCatalogs(read)
  return defined({
    consumes: few(consumes),
    catalogs: catalogs && few(catalogs),
    llmContextLanguage: knownLanguage(llmContextLanguage),
  })
}

/** A language's tag as it is written by the rules, since a model is told it; undefined for what is none. */
function knownLanguage(language: string | undefined): string | undefined {
  if (language === undefined || language.length > maxLanguageLength) return undefined
  try {
    return Intl.getCanonicalLocales(language)[0]
  } catch {
    return undefined
  }
}

function few(names: readonly string[]): string[] {
  return names.slice(0, maxNames).filter((name) => name.length <= maxNameLength)
}

function believed(text: string): ReadAgentCard {
  try {
    return readAgentCard(text)
  } catch (error) {
    throw isBeachError(error) ? cardRefused('invalid', error.message, error) : error
  }
}

/** Refuses a card with a signature that does not fit. Keys that the agent does not publish next to its card prove nothing. */
async function checkSignatures({ card, json }: ReadAgentCard, keys: () => Promise<unknown>): Promise<void> {
  if (card.signatures.length === 0) return
  const jwks = (await keys()) as Extract<TrustedKeys, { jwks: unknown }>['jwks'] | undefined
  if (jwks === undefined) return
  try {
    await verifyAgentCard(json, { jwks, allowPartial: true })
  } catch (error) {
    if (isBeachError(error) && error.details.reason !== 'invalid') return
    throw cardRefused('invalid-signature', 'It has a signature that does not fit what it says.', error)
  }
}
