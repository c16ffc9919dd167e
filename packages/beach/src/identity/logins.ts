import { createHash, type KeyObject } from 'node:crypto'
import { BeachError, type Principal, type Runtime, type Store } from '@cool-ai/beach-core'
import type { Audit, TokenLogin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { isHmacOf, secretKeys, Tokens, type Secret } from '@cool-ai/beach-core/tokens'
import { z } from 'zod'
import type { Revocations } from './revocations.ts'

/** How long the agent's own tokens live. */
export interface TokenTimes {
  /** A token that lets its holder in; an hour when left out. */
  readonly accessMs?: number | undefined
  /** What gets a new one, since it was last used; 30 days when left out. */
  readonly refreshMs?: number | undefined
}

/** The tokens of one login: one lets its holder in, the other gets both anew. */
export interface LoginTokens {
  readonly token: string
  readonly refreshToken: string
  /** When `token` ends. */
  readonly expiresAt: number
}

/** How a login begins. */
export interface LoginOptions {
  /** Its id, where another record has to name it. */
  readonly id?: string | undefined
  /** It ends by then, however often it is renewed. */
  readonly maxMs?: number | undefined
}

/** A principal, and the login by whose token it is known. */
export interface LoggedIn {
  readonly principal: Principal
  readonly login: TokenLogin
}

/** What the keys begin with by which the turns of refresh tokens are known. */
export const loginPrefix = 'login:'

const dayMs = 24 * 60 * 60 * 1_000
const defaultTimes = { accessMs: 60 * 60 * 1_000, refreshMs: 30 * dayMs }
/** Tokens of earlier releases lived for this long; no other lives longer. */
export const maxTokenMs = 180 * dayMs

const principalClaims = z.object({
  kind: z.enum(['anonymous', 'user', 'peer', 'operator']),
  id: z.string().min(1),
  tenant: z.string().min(1),
  scopes: z.array(z.string()).optional(),
  roles: z.array(z.string()).optional(),
})
const accessClaims = principalClaims.extend({
  iat: z.number().default(0),
  sid: z.string().optional(),
  jti: z.string().optional(),
})
const refreshClaims = principalClaims.extend({
  iat: z.number(),
  sid: z.string(),
  jti: z.string(),
  turn: z.number().int().min(0),
  /** When the login ends, however often it is renewed. */
  until: z.number().optional(),
})
type Refresh = z.infer<typeof refreshClaims>

/**
 * Logins, each a chain of tokens. A refresh token is good for one turn: when two that were given for the same turn are used,
 * one of them was stolen, and the login ends. The same one may be used again until its successor is: an answer can get lost.
 */
export class Logins {
  readonly #access: Tokens
  readonly #refresh: Tokens
  readonly #keys: readonly KeyObject[]
  readonly #runtime: Runtime
  readonly #store: Store | undefined
  readonly #revocations: Revocations | undefined
  readonly #audit: Audit | undefined
  readonly #times: typeof defaultTimes

  constructor(options: {
    secret: Secret
    runtime: Runtime
    store?: Store | undefined
    revocations?: Revocations | undefined
    audit?: Audit | undefined
    times?: TokenTimes | undefined
  }) {
    const { secret, runtime } = options
    this.#runtime = runtime
    this.#store = options.store
    this.#revocations = options.revocations
    this.#audit = options.audit
    this.#times = checkedTimes({ ...defaultTimes, ...defined(options.times ?? {}) })
    this.#access = new Tokens({ secret, clock: runtime.clock, kind: 'beach-principal' })
    this.#refresh = new Tokens({ secret, clock: runtime.clock, kind: 'beach-refresh' })
    this.#keys = secretKeys(secret)
  }

  get refreshMs(): number {
    return this.#times.refreshMs
  }

  /** A new login. */
  begin(principal: Principal, { id, maxMs }: LoginOptions = {}): Promise<LoginTokens> {
    const until = maxMs === undefined ? undefined : this.#runtime.clock.now() + maxMs
    return this.#issue(principal, { sid: id ?? this.#runtime.id('login'), turn: 0, until })
  }

  /** Whose token this is; undefined for one that is not valid, not valid any more, or revoked. */
  async verify(token: string): Promise<LoggedIn | undefined> {
    let known: LoggedIn | undefined
    if (token.startsWith('v1.')) known = this.#verifyOld(token)
    else {
      const verified = await this.#access.verify(token)
      if (verified.status === 'valid') known = loginOf(accessClaims.parse(verified.claims), token)
    }
    const isRevoked = known && (await this.#revocations?.isRevoked(known.principal, known.login))
    return isRevoked === true ? undefined : known
  }

  /** The principal of a refresh token with the next tokens; undefined for one that gets none. */
  async renew(refreshToken: string): Promise<(LoggedIn & { readonly tokens: LoginTokens }) | undefined> {
    const claims = await this.#refreshClaims(refreshToken)
    if (claims === undefined || !(await this.#takeTurn(claims))) return undefined
    const { principal, login } = loginOf(claims)
    const tokens = await this.#issue(principal, { sid: claims.sid, turn: claims.turn + 1, until: claims.until })
    return { principal, login, tokens }
  }

  /** The login of a refresh token that was not revoked, without using it. */
  async loginOf(refreshToken: string): Promise<LoggedIn | undefined> {
    const claims = await this.#refreshClaims(refreshToken)
    return claims && loginOf(claims)
  }

  async #refreshClaims(refreshToken: string): Promise<Refresh | undefined> {
    const verified = await this.#refresh.verify(refreshToken)
    if (verified.status !== 'valid') return undefined
    const claims = refreshClaims.parse(verified.claims)
    const { principal, login } = loginOf(claims)
    return (await this.#revocations?.isRevoked(principal, login)) === true ? undefined : claims
  }

  /** Marks the turn of a refresh token as used; false, and the end of the login, when another was used for it. */
  async #takeTurn({ sid, jti, turn, tenant }: Refresh): Promise<boolean> {
    if (this.#store === undefined) return true
    const prefix = `${loginPrefix}${sid}:`
    const keyOf = (of: number) => prefix + String(of).padStart(9, '0')
    const used = await this.#store.list(prefix)
    const isOver = used.some(({ key }) => key > keyOf(turn))
    if (!isOver && (await this.#store.bind(keyOf(turn), jti)) === jti) {
      for (const { key } of used) if (key < keyOf(turn)) await this.#store.unbind(key)
      return true
    }
    this.#runtime.logger.log('warn', 'a refresh token was used twice, so its login was ended', { login: sid })
    await this.#revocations?.revoke({ id: sid }, { tenant, by: 'reuse' })
    await this.#audit?.record({ by: 'agent', tenant, kind: 'refused', what: 'token.reuse', detail: sid })
    return false
  }

  async #issue(
    { kind, id, tenant, scopes, roles }: Principal,
    { sid, turn, until = Infinity }: { sid: string; turn: number; until?: number | undefined },
  ): Promise<LoginTokens> {
    const issuedAt = this.#runtime.clock.now()
    const claims = defined({ kind, id, tenant, scopes: scopes && [...scopes], roles: roles && [...roles], sid })
    const expiresAt = Math.min(issuedAt + this.#times.accessMs, until)
    const token = await this.#access.sign({ ...claims, jti: this.#runtime.id('tok') }, { issuedAt, expiresAt })
    const refreshToken = await this.#refresh.sign(
      { ...claims, jti: this.#runtime.id('tok'), turn, ...(until < Infinity && { until }) },
      { issuedAt, expiresAt: Math.min(issuedAt + this.#times.refreshMs, until) },
    )
    return { token, refreshToken, expiresAt }
  }

  /** @deprecated Tokens of release 0.1, which live for 180 days. A page gives its browser a new one; goes with 0.3. */
  #verifyOld(token: string): LoggedIn | undefined {
    const [, body = '', signature = '', ...rest] = token.split('.')
    if (rest.length > 0) return undefined
    if (!isHmacOf(this.#keys, `beach-token:${body}`, Buffer.from(signature, 'base64url'))) return undefined
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    const { issuedAt, ...principal } = principalClaims.extend({ issuedAt: z.number() }).parse(claims)
    if (Math.abs(this.#runtime.clock.now() - issuedAt) > maxTokenMs) return undefined
    return loginOf({ ...principal, iat: issuedAt / 1_000 }, token)
  }
}

/** Tokens of earlier releases have no ids: they are known by their digest. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 32)
}

function loginOf(claims: z.infer<typeof accessClaims>, text = ''): LoggedIn {
  const { kind, id, tenant, scopes, roles, iat, sid, jti } = claims
  const token = jti ?? tokenDigest(text)
  return {
    principal: { kind, id, tenant, ...(scopes && { scopes }), ...(roles && { roles }) },
    login: { id: sid ?? token, token, issuedAt: Math.round(iat * 1_000), isEarlier: sid === undefined },
  }
}

function checkedTimes(times: typeof defaultTimes): typeof defaultTimes {
  const { accessMs, refreshMs } = times
  const isRight = accessMs >= 60_000 && accessMs <= refreshMs && refreshMs <= maxTokenMs
  if (isRight) return times
  const message =
    '`access.tokens` needs an `accessMs` of at least a minute, and a `refreshMs` that is not shorter, and at most 180 days.'
  throw new BeachError('INVALID_CONFIGURATION', message)
}
