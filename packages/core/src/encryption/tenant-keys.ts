import { LruMap } from '../maps.ts'
import type { KeyService } from './key-service.ts'
import { MainKeys, requireTenantKeys, type KeyStore } from './main-keys.ts'

const maxKnown = 10_000

/** The keys of some data, and of the tenants whose content has a key of its own. */
export class TenantKeys {
  /** The keys of the data: for the content of all other tenants, and for what is of no tenant. */
  readonly main: MainKeys
  readonly #store: KeyStore
  readonly #service: KeyService
  readonly #known = new LruMap<Promise<MainKeys>>(maxKnown)

  /** Refuses data of which a key is missing. A tenant's key is asked for when its content is first read or written. */
  static async open(store: KeyStore, service: KeyService, signal?: AbortSignal): Promise<TenantKeys> {
    const main = await MainKeys.open(store, service, signal)
    await requireTenantKeys(store, service)
    return new TenantKeys(main, store, service)
  }

  private constructor(main: MainKeys, store: KeyStore, service: KeyService) {
    this.main = main
    this.#store = store
    this.#service = service
  }

  /** The keys for the content of a tenant. */
  async of(tenant: string): Promise<MainKeys> {
    const known = this.#known.get(tenant)
    if (known !== undefined) return known
    const opening = this.main.ofTenant(tenant, this.#store, this.#service)
    this.#known.set(tenant, opening)
    try {
      return await opening
    } catch (error) {
      this.#known.delete(tenant)
      throw error
    }
  }
}
