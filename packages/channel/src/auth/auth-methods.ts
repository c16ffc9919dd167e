import { Registry, type RegistryOptions } from '@cool-ai/beach-core/registries'
import { apiKeyMethod } from './api-key-method.ts'
import type { AuthMethod, AuthMethodEntry } from './auth-method.ts'
import { mtlsMethod } from './mtls-method.ts'
import { noneMethod } from './none-method.ts'
import { oauth2Method } from './oauth2-method.ts'

/** How auth types are done; their names are in core's `authTypes`, where cards look them up. */
export class AuthMethodRegistry extends Registry<AuthMethod, AuthMethodEntry> {
  protected readonly noun = 'auth method'

  /** A registry with the canonical methods. */
  static canonical(options?: RegistryOptions): AuthMethodRegistry {
    const registry = new AuthMethodRegistry(options)
    for (const method of [noneMethod, apiKeyMethod, oauth2Method, mtlsMethod]) {
      registry.register({ ...method, isCanonical: true })
    }
    return registry
  }

  protected override toEntry(method: AuthMethod): AuthMethodEntry {
    const id = this.checkedId(method.id)
    this.checkedKeys(id, method, ['id', 'isCanonical', 'authenticator', 'credentials'])
    return { ...method, id, isCanonical: method.isCanonical ?? false }
  }
}

/** The default registry of auth methods. */
export const authMethods: AuthMethodRegistry = AuthMethodRegistry.canonical()
