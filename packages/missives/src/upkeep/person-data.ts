import {
  BeachError,
  isBeachError,
  type Artifact,
  type ArtifactStore,
  type Part,
  type Principal,
  type Store,
} from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { parseAddress, principalAddress, valueOf, type Address } from '../identities/address.ts'
import type { Identities } from '../identities/identities.ts'
import { memoryOwnerOf } from '../memory/erase-memories.ts'
import { ownersAt } from '../memory/memories.ts'
import { MemoryLog, type MemoryOwner } from '../memory/memory-log.ts'
import type { MemoryConsent } from '../memory/memory-state.ts'
import type { MissiveFollower } from '../missives/follower.ts'
import type { MissiveStore } from '../missives/missive-store.ts'
import type { Missive } from '../missives/missive.ts'
import type { ErasableSessions } from './erasure.ts'
import { keysUnder, Mentions } from './mentions.ts'

/** One piece of what is kept of a person. */
export type PersonRecord =
  | { readonly kind: 'person'; readonly tenant: string; readonly addresses: readonly Address[] }
  | { readonly kind: 'session'; readonly sessionId: string; readonly isOwner: boolean }
  /** Of their own sessions every one, of others what they wrote and got. */
  | ({ readonly kind: 'message' } & Missive)
  | { readonly kind: 'agreement'; readonly to: 'memory'; readonly at: number }
  | { readonly kind: 'remembered'; readonly at: number; readonly text: string; readonly sessionId: string }
  /** What a channel keeps by one of their addresses. */
  | { readonly kind: 'record'; readonly key: string; readonly value: string }
  | ({ readonly kind: 'file'; readonly base64: string } & Artifact)

export interface PersonDataOptions {
  readonly log: Store
  readonly store: MissiveStore
  readonly identities: Identities
  readonly follower: MissiveFollower
  readonly artifacts?: ArtifactStore | undefined
  readonly sessions: Pick<ErasableSessions, 'checkAccess'>
}

const page = 200
const sessionKeys = 'session:'

/**
 * Everything that is kept of a person, as an erasure would find it: for operators, and for that person. Large files come
 * one by one.
 */
export async function* personData(
  options: PersonDataOptions,
  person: Address,
  by: Principal,
): AsyncGenerator<PersonRecord> {
  const { tenant } = by
  const found = (await options.identities.of(person, tenant)).addresses.map(parseAddress)
  if (by.kind !== 'operator' && !found.includes(principalAddress(by))) {
    throw new BeachError('FORBIDDEN', 'Only an operator, or that person, can have a person’s data exported.')
  }
  await options.follower.sweep()
  const sessions = await sessionsOf(options, found, tenant)
  // Those who own their sessions are they too, by whatever name a channel gave them.
  const owners = [...sessions.values()].flatMap((owner) => (owner === undefined ? [] : [principalAddress(owner)]))
  const addresses = [...new Set([...found, ...owners])]
  yield { kind: 'person', tenant, addresses }
  for (const [sessionId, owner] of sessions) yield { kind: 'session', sessionId, isOwner: owner !== undefined }
  const files = new Set<string>()
  for await (const missive of messagesOf(options, addresses, tenant)) {
    for (const id of filesIn(missive.parts)) files.add(id)
    yield { kind: 'message', ...missive }
  }
  yield* keptByName(options, addresses, tenant)
  yield* filesOf(options, { sessions, files }, tenant)
}

/** The sessions that they are in; with the owner where that is they. */
async function sessionsOf({ log, store, sessions }: PersonDataOptions, addresses: readonly Address[], tenant: string) {
  const operator: Principal = { kind: 'operator', id: 'export', tenant }
  const involving = await store.involving(tenant, addresses)
  const ids = new Set(involving.map(({ sessionId }) => sessionId))
  const own = new Set(involving.filter(({ isOwner }) => isOwner).map(({ sessionId }) => sessionId))
  const names = addresses.filter((address) => address.startsWith('principal:')).map(valueOf)
  for (const name of names) {
    for await (const { value } of keysUnder(log, `${sessionKeys}${encodeURIComponent(tenant)}:${name}:`)) {
      ids.add(value)
      own.add(value)
    }
  }
  const found = new Map<string, Principal | undefined>()
  for (const id of ids) {
    try {
      const owner = await sessions.checkAccess(id, operator)
      found.set(id, own.has(id) || names.includes(principalKey(owner)) ? owner : undefined)
    } catch (error) {
      // It was erased.
      if (!isBeachError(error, 'NOT_FOUND')) throw error
    }
  }
  return found
}

async function* messagesOf({ store }: PersonDataOptions, mine: readonly Address[], tenant: string) {
  for (let after: string | undefined; ;) {
    const { items, next } = await store.find({ tenant, mine, after, limit: page })
    yield* items
    after = next
    if (after === undefined) return
  }
}

/** What is remembered of them, and what channels keep by their addresses. */
async function* keptByName(
  { log }: PersonDataOptions,
  addresses: readonly Address[],
  tenant: string,
): AsyncGenerator<PersonRecord> {
  const principals = new Set(ownersAt(addresses, tenant).map(principalKey))
  const mentions = new Mentions(addresses)
  const isOfTenant = (key: string) => key.split(':').includes(encodeURIComponent(tenant))
  for await (const bound of keysUnder(log, '')) {
    // Sessions are listed already.
    if (bound.key.startsWith(sessionKeys)) continue
    const owner = memoryOwnerOf(bound.key)
    if (owner === undefined) {
      if (isOfTenant(bound.key) && mentions.inKey(bound)) yield { kind: 'record', ...bound }
    } else if (owner.tenant === tenant && (principals.has(principalKey(owner)) || mentions.inId(owner.id))) {
      yield* rememberedOf(log, owner)
    }
  }
}

async function* rememberedOf(log: Store, owner: MemoryOwner): AsyncGenerator<PersonRecord> {
  const { consent, entries } = await new MemoryLog(log, owner).load()
  const agreed: MemoryConsent | undefined = consent
  if (agreed !== undefined) yield { kind: 'agreement', to: 'memory', at: agreed.at }
  for (const { at, text, sessionId } of entries) yield { kind: 'remembered', at, text, sessionId }
}

interface Places {
  readonly sessions: ReadonlyMap<string, Principal | undefined>
  /** Those that the messages name. */
  readonly files: ReadonlySet<string>
}

async function* filesOf(options: PersonDataOptions, { sessions, files }: Places, tenant: string) {
  const { artifacts } = options
  if (artifacts === undefined) return
  const all = new Set(files)
  const own = [...sessions].filter(([, owner]) => owner !== undefined).map(([session]) => session)
  for (const session of own) {
    for (let after: string | undefined; ;) {
      const { items, next } = await artifacts.list({ tenant, session, after })
      for (const { artifactId } of items) all.add(artifactId)
      after = next
      if (after === undefined) break
    }
  }
  for (const id of all) {
    const stored = await artifacts.get(id, tenant)
    if (stored === undefined) continue
    const bytes = await new Response(stored.open()).arrayBuffer()
    yield { kind: 'file' as const, ...stored.artifact, base64: Buffer.from(bytes).toString('base64') }
  }
}

function filesIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ data }) => {
    const { artifactId } = Object(data) as { readonly artifactId?: unknown }
    return typeof artifactId === 'string' ? [artifactId] : []
  })
}
