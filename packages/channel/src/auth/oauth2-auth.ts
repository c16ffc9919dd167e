import {
  BeachError,
  isBeachError,
  systemClock,
  type Authenticator,
  type Clock,
  type Principal,
} from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { signatureAlgorithms } from '@cool-ai/beach-protocol/agent-card'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose'
import type { Fetch } from './fetch.ts'
import { JwksCache } from './jwks-cache.ts'
import { toPrincipal } from './known-caller.ts'
import { privateUrl } from './private-url.ts'
import { failureName, unavailable } from './unavailable.ts'

/** What the agent knows of callers with tokens. */
export interface OAuth2Settings {
  /** The `iss` of every token. */
  readonly issuer: string
  /** The `aud` that means this agent; one of several when a list. */
  readonly audience: string | readonly string[]
  /** The issuer's public keys, or where they are. */
  readonly jwks?: JSONWebKeySet | undefined
  readonly jwksUri?: string | undefined
  /** The tenant of all callers, or how to read it from a token's claims. */
  readonly tenant: string | ((claims: JWTPayload) => string | undefined)
  /** What callers are; a peer when left out. */
  readonly kind?: 'peer' | 'user' | undefined
  /**
   * The principal's id. Issuer and subject together when left out: a subject means something to its issuer only, and
   * must not become a principal that another issuer, or a key, calls the same.
   */
  readonly id?: ((claims: JWTPayload) => string | undefined) | undefined
  /** The claim that holds the scopes; `scope` and `scp` when left out. */
  readonly scopeClaim?: string | undefined
  /** The roles that a token gives (docs/guides/identity.md); none when left out. */
  readonly roles?: ((claims: JWTPayload) => readonly string[]) | undefined
  /** Signature algorithms; of key pairs only. */
  readonly algorithms?: readonly string[] | undefined
  /** What the token's header must say that it is, such as `at+jwt`. */
  readonly typ?: string | undefined
  /** How far the issuer's clock may be off; 5 seconds when left out. */
  readonly clockToleranceSeconds?: number | undefined
}

/** Which issuer's tokens are accepted, and whom they stand for. */
export interface OAuth2AuthOptions extends OAuth2Settings {
  /** Needed for `jwksUri`. */
  readonly fetch?: Fetch | undefined
  /** Origins that may be asked for keys by http, such as `http://keycloak:8080`. */
  readonly allow?: readonly string[] | undefined
  readonly clock?: Clock | undefined
}

const accessTokenTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt'])

/** Callers by an OAuth 2 access token that is a JWT, in `Authorization: Bearer`. */
export function oauth2Auth(options: OAuth2AuthOptions): Authenticator {
  const { clock = systemClock, algorithms = signatureAlgorithms } = options
  checkOptions(options, algorithms)
  const keyFor = keysOf(options, clock)
  const checks = defined({
    issuer: options.issuer,
    audience: [options.audience].flat(),
    algorithms: [...algorithms],
    clockTolerance: options.clockToleranceSeconds ?? 5,
    requiredClaims: ['exp'],
    typ: options.typ,
  })
  return async (request) => {
    const token = bearerJwt(request)
    if (token === undefined) return undefined
    const claims = await verified(token, keyFor, { ...checks, currentDate: new Date(clock.now()) })
    return { principal: principalOf(claims, options), credential: { type: 'oauth2' } }
  }
}

function keysOf({ jwks, jwksUri, fetch, allow }: OAuth2AuthOptions, clock: Clock): JWTVerifyGetKey {
  if (jwks !== undefined) return localKeys(jwks)
  if (jwksUri === undefined || fetch === undefined) throw wrong('`jwksUri` needs a `fetch` to get the keys with.')
  return new JwksCache({ uri: privateUrl(jwksUri, 'The jwksUri', allow).href, fetch, clock }).keyFor
}

function localKeys(jwks: JSONWebKeySet): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(jwks)
  } catch {
    throw wrong('`jwks` is not a set of keys: { "keys": [ … ] }.')
  }
}

async function verified(
  token: string,
  keyFor: JWTVerifyGetKey,
  checks: NonNullable<Parameters<typeof jwtVerify>[2]>,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyFor, checks)
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
    if (checks.typ === undefined && type !== undefined && !accessTokenTypes.has(type)) {
      throw refused('is not an access token')
    }
    if (payload.cnf !== undefined) throw refused('is bound to a key, for which this agent has no check')
    return payload
  } catch (error) {
    if (isBeachError(error)) throw error
    // Neither the token nor its claims are passed on from here: jose's errors carry them.
    if (error instanceof errors.JOSEError) throw refused(reasonOf(error))
    throw unavailable('A key that tokens are checked with cannot be used.', failureName(error))
  }
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'has expired; get a new one'
  if (error instanceof errors.JWTClaimValidationFailed) return `has the wrong '${error.claim}', or none`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'is signed by an algorithm that is not accepted'
  return 'is not signed by a key of the issuer'
}

function principalOf(claims: JWTPayload, settings: OAuth2Settings): Principal {
  const { tenant, id, kind = 'peer', scopeClaim, roles } = settings
  const name = id === undefined ? subjectOf(claims) : id(claims)
  if (!isName(name)) throw refused("has the wrong 'sub', or none")
  const home = typeof tenant === 'string' ? tenant : tenant(claims)
  if (!isName(home)) throw refused('names no tenant')
  return toPrincipal({ id: name, tenant: home, kind, scopes: scopesIn(claims, scopeClaim), roles: roles?.(claims) })
}

function subjectOf({ iss = '', sub }: JWTPayload): string | undefined {
  return isName(sub) ? `${iss}#${sub}` : undefined
}

// The issuer wrote the claims: their types are not checked yet.
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function refused(problem: string): BeachError {
  return new BeachError('UNAUTHENTICATED', `This bearer token ${problem}.`)
}

function checkOptions({ issuer, audience, jwks, jwksUri }: OAuth2AuthOptions, algorithms: readonly string[]): void {
  if (!issuer || [audience].flat().filter(Boolean).length === 0)
    throw wrong('Tokens need an `issuer` and an `audience`.')
  if ((jwks === undefined) === (jwksUri === undefined)) throw wrong('Tokens need either `jwks` or `jwksUri`.')
  const bad = algorithms.filter((algorithm) => !signatureAlgorithms.includes(algorithm))
  if (algorithms.length > 0 && bad.length === 0) return
  throw wrong(`Tokens may be signed by ${signatureAlgorithms.join(', ')}; not by ${bad.join(', ') || 'nothing'}.`)
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}

/** The scopes of a token: a list, or words with spaces between them. */
function scopesIn(claims: JWTPayload, claim?: string): string[] {
  const given = claim === undefined ? [claims.scope, claims.scp] : [claims[claim]]
  const scopes = given.flat().filter((value) => typeof value === 'string')
  return [...new Set(scopes.flatMap((value) => value.split(' ')).filter((scope) => scope !== ''))]
}

const maxTokenLength = 16_384

/** The request's bearer token when it is a JWT; other authenticators read other tokens. */
function bearerJwt(request: Request): string | undefined {
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*)$/i.exec(
    request.headers.get('authorization') ?? '',
  )?.[1]
  return token !== undefined && token.length <= maxTokenLength && hasAlgorithm(token) ? token : undefined
}

function hasAlgorithm(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg !== undefined
  } catch {
    return false
  }
}
