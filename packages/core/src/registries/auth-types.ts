import { Registry, type RegistryEntry, type RegistryOptions } from './registry.ts'

/** A registered way to authenticate. */
export type AuthTypeEntry = RegistryEntry

/** An auth type as `register` takes it. */
export interface AuthTypeRegistration {
  readonly id: string
  readonly isCanonical?: boolean | undefined
}

/** The auth types that Agent Cards may name. */
export class AuthTypeRegistry extends Registry<AuthTypeRegistration, AuthTypeEntry> {
  protected readonly noun = 'auth type'

  /** A registry with the canonical auth types. */
  static canonical(options?: RegistryOptions): AuthTypeRegistry {
    const registry = new AuthTypeRegistry(options)
    for (const id of ['none', 'api-key', 'oauth2', 'mtls']) registry.register({ id, isCanonical: true })
    return registry
  }

  protected override toEntry(registration: AuthTypeRegistration): AuthTypeEntry {
    const id = this.checkedId(registration.id)
    this.checkedKeys(id, registration, ['id', 'isCanonical'])
    return { id, isCanonical: registration.isCanonical ?? false }
  }
}

/** The default registry of auth types. */
export const authTypes: AuthTypeRegistry = AuthTypeRegistry.canonical()
