import { privateUrl, failureName, fetchJson, JwksCache, type Fetch } from '@cool-ai/beach-channel/auth'
import { BeachError, isBeachError, systemClock, type Clock, type Logger } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import { signatureAlgorithms } from '@cool-ai/beach-protocol/agent-card'
import { errors, jwtVerify, type JWTPayload } from 'jose'
import * as oauth from 'oauth4webapi'
import type { OidcSettings } from './oidc-options.ts'

const timeoutMs = 10_000
/** How long a discovery document is used. */
const freshMs = 60 * 60_000
/** After a failure no request is made for so long. */
const pauseMs = 1_000
/** How far the clock of the provider may be off. */
const toleranceSeconds = 30
/** ID tokens and logout tokens come right after they were made. */
const maxAgeSeconds = 10 * 60

/** What a browser was sent to the provider with, and must come back with. */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

/** Who has signed in. */
export interface SignedIn {
  readonly claims: JWTPayload
  readonly idToken: string
}

type Discovered = oauth.AuthorizationServer & { readonly jwks_uri: string }

/**
 * An OpenID Connect provider: its discovery document, its keys, and the authorization code flow with it. The flow's requests
 * and checks are those of `oauth4webapi`; signatures are checked with the key cache that bearer tokens have.
 */
export class Provider {
  readonly issuer: URL
  readonly #settings: OidcSettings
  readonly #fetch: Fetch
  readonly #clock: Clock
  readonly #logger: Logger
  #metadata: Discovered | undefined
  #fetchedAt = -Infinity
  #failure: { readonly at: number; readonly error: unknown } | undefined
  #pending: Promise<Discovered> | undefined
  #keys: { readonly uri: string; readonly cache: JwksCache } | undefined

  constructor(
    settings: OidcSettings,
    options: { readonly fetch: Fetch; readonly clock: Clock; readonly logger: Logger },
  ) {
    this.issuer = privateUrl(settings.issuer, '`access.oidc.issuer`')
    this.#settings = settings
    this.#fetch = options.fetch
    this.#clock = options.clock
    this.#logger = options.logger
  }

  /** Where a browser signs in. */
  async authorizationUrl({ state, nonce, verifier, redirectUri }: PendingSignIn): Promise<URL> {
    const { authorization_endpoint: endpoint = '' } = await this.#discovered()
    const url = this.#endpoint(endpoint, 'authorization_endpoint')
    const challenge = await oauth.calculatePKCECodeChallenge(verifier)
    const parameters = {
      response_type: 'code',
      client_id: this.#settings.clientId,
      redirect_uri: redirectUri,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }

  /** What the provider sent the browser back with becomes claims; an error for anything that is not as it must be. */
  async signedIn(callback: URL, pending: PendingSignIn, signal: AbortSignal): Promise<SignedIn> {
    const server = await this.#discovered()
    const client = this.#client()
    const http = this.#http(signal)
    try {
      const parameters = oauth.validateAuthResponse(server, client, callback, pending.state)
      const auth = this.#clientAuth(server)
      const { redirectUri, verifier, nonce } = pending
      const answer = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        auth,
        parameters,
        redirectUri,
        verifier,
        http,
      )
      const expected = { expectedNonce: nonce, requireIdToken: true }
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, expected)
      const idToken = tokens.id_token ?? ''
      const claims = await this.verify(idToken, this.#settings.clientId)
      return { claims: { ...(await this.#userInfo(server, tokens, claims, http)), ...claims }, idToken }
    } catch (error) {
      throw this.#refused(error)
    }
  }

  /** The claims of a token of this provider for an audience, by signature, issuer, audience and time. */
  async verify(token: string, audience: string, requiredClaims = ['exp', 'sub']): Promise<JWTPayload> {
    const keys = await this.#keySet()
    const { payload } = await jwtVerify(token, keys.keyFor, {
      issuer: this.#settings.issuer,
      audience,
      algorithms: [...signatureAlgorithms],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(this.#clock.now()),
      maxTokenAge: maxAgeSeconds,
      requiredClaims,
    })
    return payload
  }

  /** Where the provider's keys are. */
  async jwksUri(): Promise<string> {
    return (await this.#discovered()).jwks_uri
  }

  /** Where a browser ends its session at the provider; undefined where that has no such place. */
  async endSessionUrl(idToken: string | undefined, redirectUri: string): Promise<URL | undefined> {
    const { end_session_endpoint: endpoint } = await this.#discovered()
    if (endpoint === undefined) return undefined
    const url = this.#endpoint(endpoint, 'end_session_endpoint')
    url.searchParams.set('client_id', this.#settings.clientId)
    url.searchParams.set('post_logout_redirect_uri', redirectUri)
    if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
    return url
  }

  /** Many providers keep ID tokens small, and tell the rest there. */
  async #userInfo(
    server: Discovered,
    { access_token: token }: oauth.TokenEndpointResponse,
    { sub = '' }: JWTPayload,
    http: oauth.UserInfoRequestOptions,
  ): Promise<oauth.UserInfoResponse | undefined> {
    if (server.userinfo_endpoint === undefined) return undefined
    const answer = await oauth.userInfoRequest(server, this.#client(), token, http)
    return oauth.processUserInfoResponse(server, this.#client(), sub, answer)
  }

  async #discovered(): Promise<Discovered> {
    const age = elapsed(this.#clock) - this.#fetchedAt
    if (this.#metadata !== undefined && age < freshMs) return this.#metadata
    try {
      return await this.#load()
    } catch (error) {
      if (this.#metadata !== undefined) return this.#metadata
      throw error
    }
  }

  /** One request at a time, however many wait for it. */
  #load(): Promise<Discovered> {
    const failure = this.#failure
    if (failure !== undefined && elapsed(this.#clock) - failure.at < pauseMs) throw failure.error
    this.#pending ??= this.#discover().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #discover(): Promise<Discovered> {
    try {
      const place = `${this.issuer.href.replace(/\/+$/, '')}/.well-known/openid-configuration`
      const options = { fetch: this.#fetch, clock: this.#clock, timeoutMs }
      const { status, value } = await fetchJson(place, options)
      const metadata = await oauth.processDiscoveryResponse(this.issuer, Response.json(value, { status }))
      // The library compares addresses; the claim of a token is compared as text.
      if (metadata.issuer !== this.#settings.issuer) throw new Error('Another issuer.')
      this.#endpoint(metadata.jwks_uri ?? '', 'jwks_uri')
      this.#metadata = { ...metadata, jwks_uri: metadata.jwks_uri ?? '' }
    } catch (cause) {
      const error = isBeachError(cause) ? cause : this.#unavailable(cause)
      this.#failure = { at: elapsed(this.#clock), error }
      throw error
    }
    this.#failure = undefined
    this.#fetchedAt = elapsed(this.#clock)
    return this.#metadata
  }

  async #keySet(): Promise<JwksCache> {
    const uri = await this.jwksUri()
    if (this.#keys?.uri !== uri)
      this.#keys = { uri, cache: new JwksCache({ uri, fetch: this.#fetch, clock: this.#clock }) }
    return this.#keys.cache
  }

  #client(): oauth.Client {
    // The library reads the machine's clock.
    const skew = Math.round((this.#clock.now() - systemClock.now()) / 1_000)
    return {
      client_id: this.#settings.clientId,
      [oauth.clockSkew]: skew,
      [oauth.clockTolerance]: toleranceSeconds,
    }
  }

  #clientAuth({ token_endpoint_auth_methods_supported: methods = [] }: Discovered): oauth.ClientAuth {
    const { clientSecret } = this.#settings
    if (clientSecret === undefined) return oauth.None()
    const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return isPost ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret)
  }

  #http(signal: AbortSignal) {
    return {
      signal,
      [oauth.customFetch]: (url: string, { body, ...init }: oauth.CustomFetchOptions<string, unknown>) =>
        this.#fetch(url, { ...init, body: (body as URLSearchParams | undefined) ?? null }),
      [oauth.allowInsecureRequests]: this.issuer.protocol === 'http:',
    }
  }

  #endpoint(given: string, name: string): URL {
    return privateUrl(given, `The ${name} of the sign-in provider`)
  }

  #unavailable(cause: unknown): BeachError {
    this.#logger.log('warn', 'the sign-in provider cannot be used', {
      issuer: this.#settings.issuer,
      reason: cause instanceof Error && cause.message !== '' ? cause.message : failureName(cause),
    })
    return new BeachError('UNREACHABLE', 'The sign-in provider does not answer as it must. Try again in a moment.')
  }

  /** Neither codes nor tokens are passed on from here: the errors of the libraries carry them. */
  #refused(error: unknown): BeachError {
    if (isBeachError(error)) return error
    if (error instanceof oauth.AuthorizationResponseError) {
      const isDenied = error.error === 'access_denied'
      if (isDenied)
        return new BeachError('FORBIDDEN', 'You were not signed in: the provider says that access was denied.')
    }
    const reason = error instanceof errors.JOSEError ? error.code : error instanceof Error ? error.message : 'unknown'
    this.#logger.log('warn', 'a sign-in was refused', { issuer: this.#settings.issuer, reason })
    if (error instanceof TypeError) return this.#unavailable(error)
    return new BeachError('UNAUTHENTICATED', 'The sign-in did not work: what the provider answered is not valid here.')
  }
}
