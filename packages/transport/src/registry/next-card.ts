import {
  cachePolicy,
  cardRefused,
  fetchCard,
  tagIn,
  type CacheDefaults,
  type CachePolicy,
  type CardRefusal,
} from '@cool-ai/beach-channel/cards'
import type { GuardedFetch, RequestGuard } from '@cool-ai/beach-channel/guarded-fetch'
import { isBeachError, type Clock } from '@cool-ai/beach-core'
import {
  BEACH_EXTENSION_URI,
  readAgentCard,
  verifyAgentCard,
  type ReadAgentCard,
  type SignatureRefusal,
  type VerifiedSignature,
} from '@cool-ai/beach-protocol/agent-card'
import type { PeerTrust } from './peer.ts'

/** A card that was read and accepted. */
export interface CachedCard {
  readonly card: ReadAgentCard
  readonly signature: VerifiedSignature | undefined
  /** As it was published; absent when the local configuration has it. */
  readonly text?: string
  readonly stamp: string | undefined
  readonly tag: string | undefined
  readonly policy: CachePolicy
  readonly checkedAt: number
}

/** Where a peer's card comes from, and what is asked of it. */
export interface CardSource {
  readonly fetch: GuardedFetch
  readonly guard: RequestGuard
  readonly trust: PeerTrust | undefined
  readonly cache: CacheDefaults
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The card that is at an address now; the cached one, if it has not changed. */
export async function nextCard(url: string, held: CachedCard | undefined, source: CardSource): Promise<CachedCard> {
  const { fetch, guard, trust, cache, clock, signal } = source
  const tag = held?.tag === undefined ? {} : { tag: held.tag }
  const { text, headers } = await fetchCard({ fetch, url, ...tag, guard, signal })
  const checkedAt = clock.now()
  const said = cachePolicy(headers, checkedAt, cache)
  if (held !== undefined && text === undefined) return { ...held, policy: said ?? held.policy, checkedAt }
  const policy = said ?? { maxAgeMs: cache.defaultMaxAgeMs, mayBeStale: true, mayBeKept: true }
  const about = { tag: policy.mayBeKept ? tagIn(headers) : undefined, policy, checkedAt }
  if (held !== undefined && isSame(held, text ?? '', trust)) return { ...held, ...about }
  return { ...(await believe(text, held, trust)), text: text ?? '', stamp: cardStamp(text ?? ''), ...about }
}

/** A card that the local configuration has. */
export async function localCard(given: unknown, trust: PeerTrust | undefined, checkedAt: number): Promise<CachedCard> {
  const policy = { maxAgeMs: Infinity, mayBeStale: true, mayBeKept: true }
  return { ...(await believe(given, undefined, trust)), stamp: undefined, tag: undefined, policy, checkedAt }
}

/** Whether a card need not be requested again; a card that was read in the future was read by another clock. */
export function isFresh(held: CachedCard, now: number): boolean {
  return now < freshUntil(held) && (held.checkedAt <= now || held.policy.maxAgeMs === Infinity)
}

/** Until when a card need not be requested again. */
export function freshUntil({ checkedAt, policy }: CachedCard): number {
  return checkedAt + policy.maxAgeMs
}

// Where signatures count, a change of a card without a new date must be noticed.
function isSame(held: CachedCard, text: string, trust: PeerTrust | undefined): boolean {
  if (held.text === text) return true
  return trust === undefined && held.stamp !== undefined && held.stamp === cardStamp(text)
}

async function believe(given: unknown, held: CachedCard | undefined, trust: PeerTrust | undefined) {
  const card = read(await modern(given))
  return { card, signature: await verifyCard(given, trust, held?.signature !== undefined) }
}

/** A card of A2A 0.3 as one of 1.0; what knows the old form is loaded only when needed. */
async function modern(given: unknown): Promise<unknown> {
  const json = typeof given === 'string' ? jsonIn(given) : given
  const isOld = typeof json === 'object' && json !== null && 'url' in json && !('supportedInterfaces' in json)
  if (!isOld || 'transports' in json) return given
  const { fromLegacyCard } = await import('./legacy-card.ts')
  const card = fromLegacyCard(json)
  return card === json ? given : card
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The reader of the card reports what is wrong with it.
    return undefined
  }
}

function read(given: unknown): ReadAgentCard {
  try {
    return readAgentCard(given)
  } catch (error) {
    throw isBeachError(error) ? cardRefused('invalid', error.message, error) : error
  }
}

/** When a card was generated, and its agent's version: as long as both stay the same, so does the card. */
function cardStamp(text: string): string | undefined {
  const card = parse(text)
  const generatedAt = stringOf(card.generatedAt) ?? stringOf(beachParams(card).generatedAt)
  const version = stringOf(card.version)
  return generatedAt === undefined || version === undefined ? undefined : JSON.stringify([generatedAt, version])
}

type Members = Readonly<Record<string, unknown>>

function beachParams(card: Members): Members {
  const { extensions } = members(card.capabilities)
  const list: unknown[] = Array.isArray(extensions) ? extensions : []
  return members(list.map(members).find(({ uri }) => uri === BEACH_EXTENSION_URI)?.params)
}

function parse(text: string): Members {
  try {
    return members(JSON.parse(text))
  } catch {
    return {}
  }
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const reasons: Readonly<Record<SignatureRefusal, CardRefusal>> = {
  unsigned: 'unsigned',
  'unknown-key': 'unknown-key',
  invalid: 'invalid-signature',
}

/**
 * Whose signature a card has; undefined when it needs none. An invalid signature of a trusted key is refused in any
 * case, and so is a card without a trusted one after a card that had one.
 */
async function verifyCard(
  card: unknown,
  trust: PeerTrust | undefined,
  wasSigned: boolean,
): Promise<VerifiedSignature | undefined> {
  if (trust === undefined) return undefined
  const { require = true, ...options } = trust
  try {
    return await verifyAgentCard(card, options)
  } catch (error) {
    const reason = isBeachError(error, 'UNAUTHENTICATED')
      ? reasons[error.details.reason as SignatureRefusal]
      : undefined
    if (reason === undefined || !isBeachError(error)) throw error
    if (reason !== 'invalid-signature' && !require && !wasSigned) return undefined
    throw cardRefused(reason, error.message, error)
  }
}
