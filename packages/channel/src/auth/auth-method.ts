import { BeachError, type Authenticator, type Clock, type Principal } from '@cool-ai/beach-core'
import type { RegistryEntry } from '@cool-ai/beach-core/registries'
import type { CardAuth } from '@cool-ai/beach-protocol/agent-card'
import type { ApiKeyAuthOptions } from './api-key-auth.ts'
import type { Fetch } from './fetch.ts'
import type { MtlsSettings } from './mtls-auth.ts'
import type { OAuth2Settings } from './oauth2-auth.ts'
import type { PeerCredentials } from './peer-credentials.ts'
import type { PeerSecret } from './secret-source.ts'

/** What the agent knows of its callers, by auth type; never part of a card. */
export interface AuthSettings {
  /** The principal of all callers on a transport without auth; the server decides when left out. */
  readonly none?: Principal | undefined
  readonly 'api-key'?: Pick<ApiKeyAuthOptions, 'keys'> | undefined
  readonly oauth2?: OAuth2Settings | undefined
  readonly mtls?: MtlsSettings | undefined
  /** Settings of registered auth types. */
  readonly [type: string]: unknown
}

/** What an authenticator is made with. */
export interface AuthenticatorContext {
  /** The settings of this auth type, as they were given. */
  readonly settings: unknown
  readonly clock: Clock
  readonly fetch?: Fetch
  /** Origins that may be asked by http. */
  readonly allow: readonly string[]
}

/** What credentials are made with. */
export interface CredentialsContext {
  readonly peer: string
  readonly endpoint: string
  /** The scopes that the transport wants of every caller. */
  readonly requiredScopes: readonly string[]
  /** The secret for this peer and type; an error when there is none. */
  readonly secret: (more?: SecretDetails) => Promise<PeerSecret>
  readonly fetch: Fetch
  readonly clock: Clock
  /** Origins that may be asked by http. */
  readonly allow: readonly string[]
}

/** What a secret is needed for, beyond the peer and the type. */
export interface SecretDetails {
  readonly header?: string | undefined
  readonly tokenEndpoint?: string | undefined
  readonly scopes?: readonly string[] | undefined
}

/** How one auth type is done: by an agent that is called, and by one that calls. */
export interface AuthMethod {
  readonly id: string
  readonly isCanonical?: boolean | undefined
  /** Reads the credential of a caller; absent when callers cannot use this type here. */
  readonly authenticator?: ((auth: CardAuth, context: AuthenticatorContext) => Authenticator) | undefined
  /** Makes the credentials for a peer; absent when peers of this type cannot be called. */
  readonly credentials?: ((auth: CardAuth, context: CredentialsContext) => PeerCredentials) | undefined
}

/** A registered auth method. */
export type AuthMethodEntry = AuthMethod & RegistryEntry

/** The settings of a canonical type, without which no caller is admitted. */
export function givenSettings<Type extends 'api-key' | 'oauth2' | 'mtls'>(
  type: Type,
  settings: unknown,
): NonNullable<AuthSettings[Type]> {
  if (settings !== undefined) return settings as NonNullable<AuthSettings[Type]>
  const message = `The card says that callers use '${type}'. Say who they are: give the settings for '${type}'.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
