import { BeachError } from '@cool-ai/beach-core'
import type { ClientTls } from './fetch.ts'

/** Which secret is needed, and where it would go. */
export interface SecretRef {
  /** The peer's id in the agent registry. */
  readonly peer: string
  /** The auth type of the peer's card. */
  readonly type: string
  /** The origin of the peer's endpoint. */
  readonly origin: string
  readonly header?: string | undefined
  readonly tokenEndpoint?: string | undefined
  readonly scopes?: readonly string[] | undefined
}

/** Credentials by which a program gets tokens from a token endpoint. */
export interface ClientSecret {
  readonly clientId: string
  readonly clientSecret: string
  /** The only endpoint that may see the secret; needed where the card names one of another origin than its own. */
  readonly tokenEndpoint?: string | undefined
  /** The scopes to ask for; those of the card when left out. */
  readonly scopes?: readonly string[] | undefined
  /** How the endpoint takes the secret; by the `Authorization` header when left out. */
  readonly sentBy?: 'header' | 'body' | undefined
  /** Further fields of the request, such as `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** A secret for one peer: a string is an API key or a ready token; auth types of applications have shapes of their own. */
export type PeerSecret = string | ClientSecret | ClientTls | Readonly<Record<string, unknown>>

/** Where the secrets for peers come from; undefined when it has none for this one. */
export type SecretSource = (ref: SecretRef) => Promise<PeerSecret | undefined>

/**
 * Refuses to give a secret away to another origin than the one that is configured with it; without one, every origin is
 * right.
 */
export function checkOrigin({ peer, origin }: SecretRef, allowed: string | undefined): void {
  if (allowed === undefined) return
  if (URL.canParse(allowed) && new URL(allowed).origin === origin) return
  const message = `The secrets for the peer '${peer}' are not for ${origin}. If its address has changed, change the origin next to them.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
