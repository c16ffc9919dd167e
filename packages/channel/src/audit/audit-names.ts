import type { Principal, Runtime, Store } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { LruMap } from '@cool-ai/beach-core/runtime'

/**
 * Pseudonyms of people in the record. Which person one stands for is in keys that name the person, and that the erasure of a
 * person therefore removes: the record still holds together then, and says of no person what they did.
 */
export class AuditNames {
  readonly #store: Pick<Store, 'bind' | 'list'>
  readonly #runtime: Runtime
  readonly #pseudonyms = new LruMap<string>(10_000)

  constructor(store: Pick<Store, 'bind' | 'list'>, runtime: Runtime) {
    this.#store = store
    this.#runtime = runtime
  }

  /** What the record calls a principal. Operators answer for what they do, and a guest's id says nothing of a person. */
  async nameOf(principal: Principal): Promise<string> {
    const name = principalKey(principal)
    if (principal.kind === 'operator' || principal.kind === 'anonymous') return name
    const key = `audit-person:${encodeURIComponent(principal.tenant)}:${name}`
    const known = this.#pseudonyms.get(key)
    if (known !== undefined) return known
    const pseudonym = await this.#store.bind(key, this.#runtime.id('person'))
    await this.#store.bind(byPseudonym(principal.tenant, pseudonym), name)
    this.#pseudonyms.set(key, pseudonym)
    return pseudonym
  }

  /** Who a name of the record is; the name itself for one whose person was erased. */
  async personOf(tenant: string, name: string): Promise<string> {
    if (!name.startsWith('person_')) return name
    const key = byPseudonym(tenant, name)
    const [found] = await this.#store.list(key, undefined, 1)
    return found?.key === key ? found.value : name
  }
}

function byPseudonym(tenant: string, pseudonym: string): string {
  return `audit-name:${encodeURIComponent(tenant)}:${pseudonym}`
}
