import type { KeyObject } from 'node:crypto'
import { eachKey } from '@cool-ai/beach-channel/people'
import type { Store } from '@cool-ai/beach-core'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'

/** How a person is identified: by an id that stays theirs, by an address that may change hands, or by both. */
export interface Known {
  readonly userId?: string | undefined
  readonly phone?: string | undefined
}

/**
 * The person behind an address. The user id counts first; a phone number counts for a person without one, and for the
 * one user id that it was seen with. The store has addresses as digests only. A digest by an earlier secret is replaced
 * by one of the first secret when the address is seen.
 */
export class Correspondents {
  readonly #store: Store
  readonly #prefix: string
  readonly #keys: readonly KeyObject[]

  constructor(store: Store, options: { transport: string; tenant: string; secret: Secret }) {
    this.#store = store
    this.#prefix = `correspondent:${options.transport}:${encodeURIComponent(options.tenant)}:`
    this.#keys = secretKeys(options.secret)
  }

  /** The person, who is the same one for all addresses that were seen together. */
  async find({ userId, phone }: Known): Promise<string> {
    if (userId === undefined) {
      const known = await this.#get('phone', phone ?? '')
      return known ?? this.#bound('phone', phone ?? '', this.#name('phone', phone ?? ''))
    }
    const known = await this.#get('user', userId)
    if (known !== undefined && phone === undefined) return known
    if (phone === undefined) return this.#bound('user', userId, this.#name('user', userId))
    return this.#together(userId, phone, known)
  }

  async forget(person: string): Promise<void> {
    for await (const { key, value } of eachKey(this.#store, this.#prefix)) {
      if (value === person) await this.#store.unbind(key)
    }
    await this.#unbind('person', person)
  }

  async #together(userId: string, phone: string, known: string | undefined): Promise<string> {
    const byPhone = await this.#get('phone', phone)
    const usedBy = byPhone === undefined ? undefined : await this.#get('person', byPhone)
    const isFree = byPhone !== undefined && (usedBy === undefined || this.#names('user', userId).includes(usedBy))
    // A number that was another user's has changed hands: the earlier data is not this user's.
    const person = known ?? (isFree ? byPhone : this.#name('user', userId))
    const owner = await this.#bound('user', userId, person)
    await this.#bound('person', owner, this.#name('user', userId))
    if (byPhone !== owner) {
      if (byPhone !== undefined) await this.#unbind('phone', phone)
      await this.#bound('phone', phone, owner)
    }
    return owner
  }

  #bound(kind: string, address: string, person: string): Promise<string> {
    return this.#store.bind(`${this.#prefix}${kind}:${this.#name(kind, address)}`, person)
  }

  async #get(kind: string, address: string): Promise<string | undefined> {
    const keys = this.#storeKeys(kind, address)
    for (const key of keys) {
      const [found] = await this.#store.list(key, undefined, 1)
      if (found?.key === key) return key === keys[0] ? found.value : this.#bound(kind, address, found.value)
    }
    return undefined
  }

  async #unbind(kind: string, address: string): Promise<void> {
    for (const key of this.#storeKeys(kind, address)) await this.#store.unbind(key)
  }

  #storeKeys(kind: string, address: string): string[] {
    return this.#names(kind, address).map((name) => `${this.#prefix}${kind}:${name}`)
  }

  #name(kind: string, address: string): string {
    return this.#names(kind, address)[0] ?? ''
  }

  /** The digests of an address by all secrets. */
  #names(kind: string, address: string): string[] {
    const text = `correspondent:${JSON.stringify([this.#prefix, kind, address])}`
    return this.#keys.map((key) => encodeId(hmacOf(key, text).subarray(0, 16)))
  }
}
