export { hashApiKey, newApiKey } from './api-key.ts'
export { apiKeyAuth, type ApiKey, type ApiKeyAuthOptions } from './api-key-auth.ts'
export {
  askedCapabilities,
  mergedCapabilities,
  requireAskedScopes,
  requireCapabilities,
  type AskingMessage,
} from './asked-capabilities.ts'
export type {
  AuthenticatorContext,
  AuthMethod,
  AuthMethodEntry,
  AuthSettings,
  CredentialsContext,
  SecretDetails,
} from './auth-method.ts'
export { AuthMethodRegistry, authMethods, noAuth } from './auth-methods.ts'
export { authenticatorFor, type AuthenticatorForOptions } from './authenticator-for.ts'
export { authorisedFetch, type AuthorisedFetch } from './authorised-fetch.ts'
export { accessRequirements, requireCredential, type AccessRequirements } from './access-requirements.ts'
export { CachedCredentials, type LoadedCredentials } from './cached-credentials.ts'
export { credentialsFor, type CallableTransport, type CredentialsForOptions } from './credentials-for.ts'
export { credentialsOfPeers, type CalledPeer } from './credentials-of-peers.ts'
export { environmentSecrets } from './environment-secrets.ts'
export { fetchJson } from './fetch-json.ts'
export { fetchWithTls, type ClientTls, type Fetch } from './fetch.ts'
export { fileSecrets } from './file-secrets.ts'
export { fingerprintOf } from './fingerprint.ts'
export { JwksCache } from './jwks-cache.ts'
export type { KnownCaller } from './known-caller.ts'
export {
  mtlsAuth,
  tlsCertificate,
  type CertificateOf,
  type KnownCertificate,
  type MtlsAuthOptions,
  type MtlsSettings,
} from './mtls-auth.ts'
export { oauth2Auth, type OAuth2AuthOptions, type OAuth2Settings } from './oauth2-auth.ts'
export { SentCredentials, type OutgoingRequest, type PeerCredentials } from './peer-credentials.ts'
export { peerSecrets } from './peer-secrets.ts'
export { personAuth, type PersonAuthOptions, type VouchedPerson } from './person-auth.ts'
export { PersonTokens, vouchedKinds } from './person-tokens.ts'
export { privateUrl } from './private-url.ts'
export { proxyCertificate, type ProxyCertificateOptions } from './proxy-certificate.ts'
export { checkScopes, requireScopes } from './scopes.ts'
export type { ClientSecret, PeerSecret, SecretRef, SecretSource } from './secret-source.ts'
export { challengeIn } from './required-credential.ts'
export { failureName } from './unavailable.ts'
