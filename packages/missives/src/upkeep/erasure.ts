import {
  BeachError,
  isBeachError,
  type ArtifactStore,
  type Channel,
  type Originator,
  type Principal,
  type Runtime,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import { eraseCopy, ownerOfCopy } from '@cool-ai/beach-core/log'
import { principalKey } from '@cool-ai/beach-core/ports'
import { parseAddress, principalAddress, valueOf, writtenFor, type Address } from '../identities/address.ts'
import type { Identities } from '../identities/identities.ts'
import { eraseMemories, eraseRemembered, memoryOwnerOf } from '../memory/erase-memories.ts'
import { ownersAt } from '../memory/memories.ts'
import { MemoryLog } from '../memory/memory-log.ts'
import type { EnvelopeMaker, MissiveFollower } from '../missives/follower.ts'
import type { MissiveStore } from '../missives/missive-store.ts'
import type { KeepArtifact } from './collect-artifacts.ts'
import { keysUnder, Mentions } from './mentions.ts'

/** What can be erased from a session's log. */
export type LogErasure =
  | { readonly scope: 'session' }
  | {
      readonly scope: 'originators'
      readonly originatorIds: readonly string[]
      readonly isTheirs?: ((from: Originator) => boolean) | undefined
    }
  | { readonly scope: 'before'; readonly before: number }

/** Sessions whose logs can be erased. */
export interface ErasableSessions extends EnvelopeMaker, Pick<Sessions, 'checkAccess' | 'originators'> {
  erase(session: string, what: LogErasure, by: Principal): Promise<number>
}

/** Whose data is to be erased: all of a session, or all of a person, named by one of their addresses. */
export type ErasureRequest = { readonly session: string } | { readonly person: Address }

export interface ErasureOptions {
  /** The sessions' logs and keys. */
  readonly log: Store
  readonly store: MissiveStore
  readonly identities: Identities
  readonly follower: MissiveFollower
  readonly runtime: Runtime
  readonly artifacts?: ArtifactStore | undefined
  readonly keepArtifact?: KeepArtifact | undefined
  /** Channels that remember people by themselves are told to forget them. */
  readonly channels?: readonly Channel[] | undefined
  readonly addressesOf: (from: Originator) => readonly Address[]
  /**
   * Keeps the record of what was erased, so that the agent does it once more, with channels and stores that only it has;
   * the agent's upkeep deletes the record.
   */
  readonly leavesRecord?: boolean | undefined
}

/** What an erasure has found. */
export interface ErasureResult {
  readonly sessions: number
  /** Of how many principals something was remembered. */
  readonly memories: number
}

/** Recorded before it begins, so that it is done though the process may die. */
type Order = { readonly session: string } | { readonly addresses: readonly Address[] }

const orders = 'erasure:'
const keyPage = 1_000

/**
 * Erases a person's messages everywhere: missives and their words, files, the session logs, keys and identities. It is
 * recorded before it begins and repeated after a crash until it is done.
 */
export class Erasure {
  readonly #options: ErasureOptions
  readonly #sessions: ErasableSessions

  constructor(options: ErasureOptions, sessions: ErasableSessions) {
    this.#options = options
    this.#sessions = sessions
  }

  /** For operators; a session also for its owner, a person for themselves. Returns of how many sessions something was erased. */
  async erase(request: ErasureRequest, by: Principal): Promise<ErasureResult> {
    if ('session' in request) {
      await this.#requireSession(request.session, by)
      return this.#carryOut({ session: request.session }, by.tenant)
    }
    const { identities } = this.#options
    const { addresses } = await identities.of(request.person, by.tenant)
    if (by.kind !== 'operator' && !addresses.includes(principalAddress(by))) {
      throw new BeachError('FORBIDDEN', 'Only an operator, or that person, can have a person’s data erased.')
    }
    return this.#carryOut({ addresses: addresses.map(parseAddress) }, by.tenant)
  }

  /** Goes on with what earlier processes have not finished. */
  async resume(): Promise<void> {
    const { log, runtime } = this.#options
    for (const { key, value } of await log.list(orders, undefined, keyPage)) {
      const tenant = decodeURIComponent(key.split(':')[1] ?? '')
      try {
        await this.#do(JSON.parse(Buffer.from(value, 'base64url').toString()) as Order, tenant)
        await this.#strike(key)
      } catch (error) {
        runtime.logger.log('error', 'an erasure could not be finished; it will be tried again', { error })
      }
    }
  }

  /** A session, with its files. */
  async eraseSession(session: string, tenant: string): Promise<void> {
    const { follower, store } = this.#options
    await follower.catchUp(session)
    for (const id of await store.artifactsOf(session)) await this.#deleteArtifact(id, tenant, session)
    await this.#deleteArtifactsOf(session, tenant)
    await this.#sessions.erase(session, { scope: 'session' }, operatorOf(tenant))
    // A turn may have made more until it was ended.
    await this.#deleteArtifactsOf(session, tenant)
    await store.drop(session)
  }

  async #carryOut(order: Order, tenant: string): Promise<ErasureResult> {
    const { log, runtime } = this.#options
    const key = `${orders}${encodeURIComponent(tenant)}:${runtime.id('order')}`
    // Not readable as such: keys that tell of a session are unbound with it, and this one must outlast it.
    await log.bind(key, Buffer.from(JSON.stringify(order)).toString('base64url'))
    const result = await this.#do(order, tenant)
    if (this.#options.leavesRecord !== true) await this.#strike(key)
    return result
  }

  async #do(order: Order, tenant: string): Promise<ErasureResult> {
    if ('addresses' in order) return this.#erasePerson(order.addresses, tenant)
    const owner = await this.#ownerOf(order.session, tenant)
    if (owner !== undefined) await eraseRemembered(this.#options.log, owner, order.session)
    await this.eraseSession(order.session, tenant)
    return { sessions: 1, memories: 0 }
  }

  /** Undefined for a session that was erased before. */
  async #ownerOf(session: string, tenant: string): Promise<Principal | undefined> {
    try {
      return await this.#sessions.checkAccess(session, operatorOf(tenant))
    } catch (error) {
      if (isBeachError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  /** The record names people too: it is deleted, and with it what was overwritten in the store's files. */
  async #strike(key: string): Promise<void> {
    const { log } = this.#options
    await log.unbind(key)
    await log.erase(key, [])
  }

  /** Their own sessions are erased as a whole; in those of others, their messages. */
  async #erasePerson(addresses: readonly Address[], tenant: string): Promise<ErasureResult> {
    const { follower, store, identities, log } = this.#options
    await follower.sweep()
    const found = await store.involving(tenant, addresses)
    // First, while the sessions still tell whose they are.
    let memories = await eraseMemories(log, addresses, tenant)
    const own = new Set(found.filter(({ isOwner }) => isOwner).map(({ sessionId }) => sessionId))
    for (const session of await this.#ownSessions(addresses, tenant)) own.add(session)
    for (const session of new Set([...own, ...found.map(({ sessionId }) => sessionId)])) {
      const written = found.filter(({ sessionId }) => sessionId === session).map(({ originatorId }) => originatorId)
      const there = await this.#thereAs(session, addresses, tenant, written)
      for (const who of there.originators) await this.#channelOf(who)?.forget?.(who)
      if (!there.isOwner) continue
      own.add(session)
      memories += await eraseMemories(log, [`principal:${there.ownerKey}`], tenant)
    }
    for (const session of own) await this.eraseSession(session, tenant)
    const others = Map.groupBy(
      found.filter(({ sessionId }) => !own.has(sessionId)),
      ({ sessionId }) => sessionId,
    )
    for (const [session, parts] of others) {
      const originatorIds = parts.map(({ originatorId }) => originatorId)
      const isTheirs = (from: Originator) => this.#isAt(from, addresses)
      await this.#sessions.erase(session, { scope: 'originators', originatorIds, isTheirs }, operatorOf(tenant))
      // Made anew from what is left: in a thread of several people that is what the others have said.
      await store.drop(session)
      await follower.catchUp(session)
    }
    await this.#forgetAt(addresses, tenant)
    memories += await this.#unbindMentions(addresses, tenant)
    await identities.erase(tenant, addresses)
    return { sessions: own.size + others.size, memories }
  }

  #isAt(who: Originator, addresses: readonly Address[]): boolean {
    return this.#options.addressesOf(who).some((address) => addresses.includes(address))
  }

  /**
   * As whom they are in a session. It is theirs when its owner has written from one of their addresses. In a thread that
   * several write in, another may have been the last: there they are named as each of their principals.
   */
  async #thereAs(session: string, addresses: readonly Address[], tenant: string, written: readonly string[]) {
    const by = operatorOf(tenant)
    try {
      const all = await this.#sessions.originators(session, by)
      const own = all.filter((who) => this.#isAt(who, addresses))
      const shared = all.filter((who) => written.includes(who.id) && !own.includes(who))
      const as = ownersAt(addresses, tenant)
      const originators = [...own, ...shared.flatMap((who) => as.map((principal) => ({ ...who, principal })))]
      const ownerKey = principalKey(await this.#sessions.checkAccess(session, by))
      const isOwner = originators.some(({ principal }) => principalKey(principal) === ownerKey)
      return { originators, isOwner, ownerKey }
    } catch (error) {
      // It has been erased before.
      if (isBeachError(error, 'NOT_FOUND')) return { originators: [], isOwner: false, ownerKey: '' }
      throw error
    }
  }

  #channelOf({ transport }: Originator): Channel | undefined {
    return this.#options.channels?.find((channel) => channel.transport === transport && channel.forget !== undefined)
  }

  /** Tells the channels by which they can be written to: some know people who are in no session, or were written to until the end. */
  async #forgetAt(addresses: readonly Address[], tenant: string): Promise<void> {
    const { channels = [] } = this.#options
    for (const channel of channels) {
      const { transport, deliveryClass } = channel
      for (const full of addresses) {
        const address = writtenFor(transport, full)
        if (address === undefined) continue
        const principal = { kind: 'user', id: full, tenant } as const
        await channel.forget?.({ id: full, transport, deliveryClass, principal, address })
      }
    }
  }

  /** The sessions that are listed as theirs, also those in which nothing was said. */
  async #ownSessions(addresses: readonly Address[], tenant: string): Promise<string[]> {
    const principals = addresses.filter((address) => address.startsWith('principal:')).map(valueOf)
    const found: string[] = []
    for (const principal of principals) {
      const under = `session:${encodeURIComponent(tenant)}:${principal}:`
      for await (const { value } of keysUnder(this.#options.log, under)) found.push(value)
    }
    return found
  }

  /**
   * Keys in which channels remember an address, and what is remembered of principals that are named by it, such as those
   * whom a channel made of its addresses; returns how many of these there were.
   */
  async #unbindMentions(addresses: readonly Address[], tenant: string): Promise<number> {
    let memories = 0
    const mentions = new Mentions(addresses)
    for await (const bound of keysUnder(this.#options.log, '')) {
      const { key } = bound
      if (key.startsWith(orders)) continue
      const copied = ownerOfCopy(key)
      if (copied !== undefined) {
        const names = [copied.principal, decodeURIComponent(copied.principal)]
        const isTheirs = names.some((name) => mentions.inId(name))
        if (isTheirs && copied.tenant === tenant) await eraseCopy(this.#options.log, bound)
        continue
      }
      const owner = memoryOwnerOf(key)
      if (owner !== undefined) {
        const isTheirs = owner.tenant === tenant && mentions.inId(owner.id)
        if (isTheirs && (await new MemoryLog(this.#options.log, owner).drop())) memories++
      } else if (mentions.inKey(bound)) {
        await this.#options.log.unbind(key)
      }
    }
    return memories
  }

  async #requireSession(session: string, by: Principal): Promise<void> {
    try {
      await this.#sessions.checkAccess(session, by)
    } catch (error) {
      // One that was erased before has no owner: an operator may finish it, which is checked where it is done.
      if (by.kind !== 'operator' || !isBeachError(error, 'NOT_FOUND')) throw error
      await this.#sessions.erase(session, { scope: 'session' }, by)
    }
  }

  async #deleteArtifactsOf(session: string, tenant: string): Promise<void> {
    const { artifacts } = this.#options
    if (artifacts === undefined) return
    for (let after: string | undefined; ;) {
      const page = await artifacts.list({ tenant, session, after })
      for (const { artifactId } of page.items) await this.#deleteArtifact(artifactId, tenant, session)
      after = page.next
      if (after === undefined) return
    }
  }

  /** One that is of the session, or of none and named in it alone. */
  async #deleteArtifact(artifactId: string, tenant: string, session: string): Promise<void> {
    const { artifacts, keepArtifact } = this.#options
    const artifact = (await artifacts?.get(artifactId, tenant))?.artifact
    if (artifact === undefined || keepArtifact?.(artifact) === true) return
    if (artifact.session !== undefined && artifact.session !== session) return
    await artifacts?.delete(artifactId, tenant)
  }
}

function operatorOf(tenant: string): Principal {
  return { kind: 'operator', id: 'erasure', tenant }
}
