import { BeachError, systemClock, type Clock } from '@cool-ai/beach-core'
import type { CardTransport } from '@cool-ai/beach-protocol/agent-card'
import type { CredentialsContext, SecretDetails } from './auth-method.ts'
import { authMethods, type AuthMethodRegistry } from './auth-methods.ts'
import type { Fetch } from './fetch.ts'
import type { PeerCredentials } from './peer-credentials.ts'
import { peerSecrets } from './peer-secrets.ts'
import { privateUrl } from './private-url.ts'
import type { PeerSecret, SecretSource } from './secret-source.ts'

/** What must be known of a peer's transport to call it. */
export type CallableTransport = Pick<CardTransport, 'endpoint' | 'auth'> &
  Partial<Pick<CardTransport, 'requiredScopes'>>

/** Whose credentials are looked for, and for which transport. */
export interface CredentialsForOptions {
  /** The peer's id, as the configuration names it. */
  readonly peer: string
  /** Reaches token endpoints, whose addresses come from cards: give a guarded fetch. */
  readonly fetch: Fetch
  /** Origins that may be sent secrets by http, such as `http://travel:4747`; otherwise only this machine may. */
  readonly allow?: readonly string[] | undefined
  /** `peerSecrets()` when left out. */
  readonly secrets?: SecretSource | undefined
  readonly clock?: Clock | undefined
  readonly methods?: AuthMethodRegistry | undefined
}

/** The credentials for one transport of a peer's card, from a local source of secrets. */
export function credentialsFor(transport: CallableTransport, options: CredentialsForOptions): PeerCredentials {
  const { peer, fetch, allow = [], secrets = peerSecrets(), clock = systemClock, methods = authMethods } = options
  const { endpoint, auth = { type: 'none' }, requiredScopes = [] } = transport
  const { type } = auth
  const credentials = methods.get(type)?.credentials
  if (credentials === undefined) {
    const known = methods.entries().filter((method) => method.credentials !== undefined)
    const message = `The peer '${peer}' wants auth of the type '${type}', which is not known here. Known are: `
    const advice = `${known.map(({ id }) => id).join(', ')}; others are added by authMethods.register.`
    throw new BeachError('INVALID_CONFIGURATION', message + advice)
  }
  const secret: CredentialsContext['secret'] = async (more) => {
    const { origin } = privateUrl(endpoint, `The endpoint of '${peer}'`, allow)
    return present(await secrets({ peer, type, origin, ...more }), peer, type, more)
  }
  return credentials(auth, { peer, endpoint, requiredScopes, secret, fetch, clock, allow })
}

function present(
  secret: PeerSecret | undefined,
  peer: string,
  type: string,
  { header, tokenEndpoint }: SecretDetails = {},
): PeerSecret {
  if (secret !== undefined) return secret
  const place = header ?? tokenEndpoint
  const details = { peer, type, for: place }
  const message = `There is no secret of the type '${type}' for the peer '${peer}'. Give one to the source of secrets.`
  throw new BeachError('INVALID_CONFIGURATION', message, { details })
}
