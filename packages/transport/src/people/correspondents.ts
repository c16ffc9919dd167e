import { createHmac } from 'node:crypto'
import type { Store } from '@cool-ai/beach-core'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { eachKey } from './each-key.ts'

/** How somebody can be known: by an id that stays theirs, by an address that may change hands, or by both. */
export interface Known {
  readonly userId?: string
  readonly phone?: string
}

/**
 * Who is behind an address. The user id counts first; a phone number counts for somebody without one, and for the one
 * user id that it was seen with. Addresses stand in the store as digests only.
 */
export class Correspondents {
  readonly #store: Store
  readonly #prefix: string
  readonly #secret: Uint8Array

  constructor(store: Store, options: { transport: string; tenant: string; secret: Uint8Array }) {
    this.#store = store
    this.#prefix = `correspondent:${options.transport}:${encodeURIComponent(options.tenant)}:`
    this.#secret = options.secret
  }

  /** The person, who is the same one for all addresses that were seen together. */
  async find({ userId, phone }: Known): Promise<string> {
    if (userId === undefined) return this.#bound('phone', phone ?? '', this.#name('phone', phone ?? ''))
    const known = await this.#get('user', userId)
    if (known !== undefined && phone === undefined) return known
    if (phone === undefined) return this.#bound('user', userId, this.#name('user', userId))
    return this.#together(userId, phone, known)
  }

  /** Forgets by which addresses a person was known. */
  async forget(person: string): Promise<void> {
    for await (const { key, value } of eachKey(this.#store, this.#prefix)) {
      if (value === person) await this.#store.unbind(key)
    }
    await this.#store.unbind(this.#key('person', person))
  }

  async #together(userId: string, phone: string, known: string | undefined): Promise<string> {
    const byPhone = await this.#get('phone', phone)
    const usedBy = byPhone === undefined ? undefined : await this.#get('person', byPhone)
    const isFree = byPhone !== undefined && (usedBy === undefined || usedBy === this.#name('user', userId))
    // A number that was another user's has changed hands: what was theirs is not this one's.
    const person = known ?? (isFree ? byPhone : this.#name('user', userId))
    const standing = await this.#bound('user', userId, person)
    await this.#bound('person', standing, this.#name('user', userId))
    if (byPhone !== standing) {
      if (byPhone !== undefined) await this.#store.unbind(this.#key('phone', phone))
      await this.#bound('phone', phone, standing)
    }
    return standing
  }

  #bound(kind: string, address: string, person: string): Promise<string> {
    return this.#store.bind(this.#key(kind, address), person)
  }

  async #get(kind: string, address: string): Promise<string | undefined> {
    const key = this.#key(kind, address)
    const [found] = await this.#store.list(key, undefined, 1)
    return found?.key === key ? found.value : undefined
  }

  #key(kind: string, address: string): string {
    return `${this.#prefix}${kind}:${this.#name(kind, address)}`
  }

  #name(kind: string, address: string): string {
    const text = `correspondent:${JSON.stringify([this.#prefix, kind, address])}`
    return encodeId(createHmac('sha256', this.#secret).update(text).digest().subarray(0, 16))
  }
}
