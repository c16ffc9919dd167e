import { BeachError, type Principal } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import { parseAddress, principalAddress, type Address } from '../identities/address.ts'
import type { IdentityStore } from '../identities/identity-store.ts'
import type { MissiveStore } from './missive-store.ts'
import type { Missive, MissiveQuery } from './missive.ts'
import { wordsIn } from './missive-parts.ts'

/** Where missives and identities are kept. */
export interface MissiveStores {
  readonly store: MissiveStore
  readonly identities: Pick<IdentityStore, 'personOf'>
}

/**
 * Missives as a principal may see them: operators all of their tenant, other principals those of their own sessions, and
 * those that they wrote or got themselves, by whichever of their addresses.
 */
export class MissiveReader {
  readonly #store: MissiveStore
  readonly #identities: MissiveStores['identities']

  constructor(stores: MissiveStores) {
    this.#store = stores.store
    this.#identities = stores.identities
  }

  /** Newest first. */
  async find(query: MissiveQuery, by: Principal): Promise<Page<Missive>> {
    return by.kind === 'operator' ? this.#find(query, by.tenant) : this.findOwn(query, by)
  }

  /** The same, for operators too only their own. */
  async findOwn(query: MissiveQuery, by: Principal): Promise<Page<Missive>> {
    return this.#find(query, by.tenant, await this.#addresses(principalAddress(by), by.tenant))
  }

  async #find(query: MissiveQuery, tenant: string, mine?: readonly Address[]): Promise<Page<Missive>> {
    const { person, text, ...rest } = query
    for (const time of [query.since, query.until]) {
      if (time !== undefined && !Number.isFinite(time)) {
        throw new BeachError('BAD_REQUEST', 'A time is given in milliseconds since 1970.')
      }
    }
    const words = text === undefined ? undefined : wordsIn(text)
    const persons = person === undefined ? undefined : await this.#addresses(parseAddress(person), tenant)
    return this.#store.find({ ...rest, tenant, words, persons, mine })
  }

  /** Undefined for one that does not exist, or that `by` may not see. */
  async get(missiveId: string, by: Principal): Promise<Missive | undefined> {
    const missive = await this.#store.get(missiveId, by.tenant)
    if (missive === undefined || by.kind === 'operator') return missive
    const mine = await this.#addresses(principalAddress(by), by.tenant)
    const theirs = [...missive.correspondent.addresses, ...(missive.owner === undefined ? [] : [missive.owner])]
    return theirs.some((address) => mine.includes(address)) ? missive : undefined
  }

  async #addresses(address: Address, tenant: string): Promise<readonly Address[]> {
    return (await this.#identities.personOf(tenant, address))?.addresses ?? [address]
  }
}
