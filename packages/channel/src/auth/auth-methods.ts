import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { Registry, type RegistryOptions } from '@cool-ai/beach-core/registries'
import { z } from 'zod'
import { apiKeyAuth } from './api-key-auth.ts'
import { givenSettings, type AuthMethod, type AuthMethodEntry } from './auth-method.ts'
import { CachedCredentials } from './cached-credentials.ts'
import { requestToken } from './client-credentials.ts'
import { parseFingerprint } from './fingerprint.ts'
import { headerName, isHeaderValue } from './header-name.ts'
import { mtlsAuth, type KnownCertificate } from './mtls-auth.ts'
import { oauth2Auth } from './oauth2-auth.ts'
import { SentCredentials, type PeerCredentials } from './peer-credentials.ts'

/**
 * Every caller is this principal, whatever its credential: for a development machine, or a network where all are trusted. It
 * opens no endpoint for which the card asks for a credential.
 */
export function noAuth(principal: Principal): Authenticator {
  return async () => ({ principal, credential: { type: 'none' } })
}

const nothing: PeerCredentials = { forRequest: async () => new SentCredentials(), refused: () => {} }

/** Callers need no credential. */
const noneMethod: AuthMethod = {
  id: 'none',
  authenticator: (_auth, { settings }) =>
    settings === undefined ? async () => undefined : noAuth(settings as Principal),
  credentials: () => nothing,
}

/** An API key in the header that the card names. */
const apiKeyMethod: AuthMethod = {
  id: 'api-key',
  authenticator({ header = '' }, { settings, clock }) {
    const { keys } = givenSettings('api-key', settings)
    return apiKeyAuth({ header, keys, clock })
  },
  credentials({ header }, { peer, secret, clock }) {
    const name = headerName(header)
    return new CachedCredentials(async () => {
      const key = await secret({ header: name })
      if (typeof key !== 'string' || !isHeaderValue(key)) {
        const message = `The API key for the peer '${peer}' is not one that a header can carry.`
        throw new BeachError('INVALID_CONFIGURATION', message)
      }
      return { sent: new SentCredentials({ headers: { [name]: key } }) }
    }, clock)
  },
}

/** An access token: checked by the issuer's keys, and obtained from the token endpoint that the card names. */
const oauth2Method: AuthMethod = {
  id: 'oauth2',
  authenticator: (_auth, { settings, fetch, allow, clock }) =>
    oauth2Auth({ ...givenSettings('oauth2', settings), clock, allow, fetch }),
  credentials: (auth, context) => new CachedCredentials(() => requestToken(auth, context), context.clock),
}

const clientTls = z.object({
  cert: z.string().includes('-----BEGIN CERTIFICATE-----'),
  key: z.string().includes('-----BEGIN '),
  ca: z.string().exactOptional(),
})

/** A client certificate; a card's fingerprints are those of the certificates that callers may have. */
const mtlsMethod: AuthMethod = {
  id: 'mtls',
  authenticator({ fingerprints: inCard = [] }, { settings, clock }) {
    const { fingerprints = [], listed, certificateOf } = givenSettings('mtls', settings)
    const known = new Set(fingerprints.map(({ fingerprint }) => hex(fingerprint)))
    const others = inCard.map(hex).filter((fingerprint) => !known.has(fingerprint))
    const strangers: KnownCertificate[] =
      listed === undefined ? [] : others.map((fingerprint) => ({ ...listed, id: `cert:${fingerprint}`, fingerprint }))
    const from = certificateOf === undefined ? {} : { certificateOf }
    return mtlsAuth({ fingerprints: [...fingerprints, ...strangers], clock, ...from })
  },
  credentials: (_auth, { peer, secret, clock }) =>
    new CachedCredentials(async () => {
      const { success, data } = clientTls.safeParse(await secret())
      if (success) return { sent: new SentCredentials({ tls: data }) }
      const message = `The certificate for the peer '${peer}' is invalid: give cert and key, both as PEM.`
      throw new BeachError('INVALID_CONFIGURATION', message)
    }, clock),
}

function hex(fingerprint: string): string {
  return parseFingerprint(fingerprint).toString('hex')
}

/** The implementations of auth types; their names are in core's `authTypes`, where cards look them up. */
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
