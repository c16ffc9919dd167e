import type { KeyObject } from 'node:crypto'
import { hasForeignOrigin } from '@cool-ai/beach-channel/http'
import { BeachError, type Authenticator, type Principal, type Runtime } from '@cool-ai/beach-core'
import type { Authentication, Credential } from '@cool-ai/beach-core/ports'
import { isHmacOf, secretKeys, Tokens, type Secret } from '@cool-ai/beach-core/tokens'
import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'
import { z } from 'zod'

const validForMs = 180 * 24 * 60 * 60 * 1_000
const renewAfterMs = 24 * 60 * 60 * 1_000

const bearer = /^Bearer +(\S+)$/i
const byToken: Credential = { type: 'agent-token' }
const byCookie: Credential = { type: 'agent-cookie' }

const principalClaims = z.object({
  kind: z.enum(['anonymous', 'user', 'peer', 'operator']),
  id: z.string().min(1),
  tenant: z.string().min(1),
})

/** An authentication, and when its token was issued. */
interface Known {
  readonly known: Authentication
  readonly issuedAt: number
}

/** Identifies callers by what the agent itself has signed: a bearer token, or the page's cookie. */
export class Identity {
  readonly #tokens: Tokens
  readonly #keys: readonly KeyObject[]
  readonly #runtime: Runtime
  readonly #tenant: string
  readonly cookieName: string
  readonly #isSecure: boolean
  readonly #publicUrl: string | undefined

  /** `isSecure` when browsers reach the agent by https, though a proxy may call it without. */
  constructor(options: {
    secret: Secret
    runtime: Runtime
    agentId: string
    tenant: string
    isSecure?: boolean
    cookieName?: string | undefined
    publicUrl?: string | undefined
  }) {
    this.#publicUrl = options.publicUrl
    this.#tokens = new Tokens({ secret: options.secret, clock: options.runtime.clock, kind: 'beach-principal' })
    this.#keys = secretKeys(options.secret)
    this.#runtime = options.runtime
    this.#tenant = options.tenant
    this.#isSecure = options.isSecure ?? false
    // Cookies ignore ports: two agents on one host need two names.
    const { cookieName = `beach_${options.agentId.replaceAll(/[^A-Za-z0-9-]/g, '-')}` } = options
    if (!/^[\w-]+$/.test(cookieName)) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        '`cookieName` may have letters, digits, `_` and `-`, and nothing else.',
      )
    }
    this.cookieName = cookieName
  }

  /** A new anonymous caller. */
  guest(): Principal {
    return { kind: 'anonymous', id: this.#runtime.id('anon'), tenant: this.#tenant }
  }

  issueToken({ kind, id, tenant }: Principal): Promise<string> {
    const issuedAt = this.#runtime.clock.now()
    return this.#tokens.sign({ kind, id, tenant }, { issuedAt, expiresAt: issuedAt + validForMs })
  }

  /** By `Authorization: Bearer`. A bad token is an error, not a guest. */
  readonly byBearer: Authenticator = async (request) => {
    const header = request.headers.get('authorization')
    if (header === null) return undefined
    const token = bearer.exec(header)?.[1]
    const verified = token === undefined ? undefined : await this.#verify(token, byToken)
    if (verified !== undefined) return verified.known
    throw new BeachError('UNAUTHENTICATED', 'This bearer token is not valid. Get a new one from `POST /sessions`.')
  }

  /** The same for endpoints that are closed to guests: a guest's token, or an invalid one, counts as none. */
  readonly byKnownBearer: Authenticator = async (request) => {
    const token = bearer.exec(request.headers.get('authorization') ?? '')?.[1]
    const known = token === undefined ? undefined : (await this.#verify(token, byToken))?.known
    return known?.principal.kind === 'anonymous' ? undefined : known
  }

  /**
   * By the cookie of the agent's own pages. An invalid or expired one counts as none: the page will set a new one. So does
   * that of a page of another origin: browsers add it also to requests that the user knows nothing of.
   */
  readonly byCookie: Authenticator = async (request) =>
    hasForeignOrigin(request, this.#publicUrl) ? undefined : (await this.#fromCookie(request))?.known

  /** The header that gives a browser its identity, unless it has a recent one. */
  async pageCookie(request: Request): Promise<string | undefined> {
    const known = await this.#fromCookie(request)
    if (known !== undefined && Math.abs(this.#runtime.clock.now() - known.issuedAt) < renewAfterMs) return undefined
    return this.cookieOf(known?.known.principal ?? this.guest(), request)
  }

  /** The header that makes a browser this principal. */
  async cookieOf(principal: Principal, request: Request): Promise<string> {
    const secure = this.#isSecure || new URL(request.url).protocol === 'https:'
    const maxAge = validForMs / 1_000
    const token = await this.issueToken(principal)
    return generateCookie(this.cookieName, token, { path: '/', httpOnly: true, sameSite: 'Lax', maxAge, secure })
  }

  async #fromCookie(request: Request): Promise<Known | undefined> {
    const token = parse(request.headers.get('cookie') ?? '', this.cookieName)[this.cookieName]
    return token === undefined ? undefined : this.#verify(token, byCookie)
  }

  async #verify(token: string, credential: Credential): Promise<Known | undefined> {
    if (token.startsWith('v1.')) return this.#verifyOld(token, credential)
    const verified = await this.#tokens.verify(token)
    if (verified.status !== 'valid') return undefined
    const { iat = 0, ...claims } = verified.claims
    return { known: { principal: principalClaims.parse(claims), credential }, issuedAt: iat * 1_000 }
  }

  /** @deprecated Tokens of release 0.1, which live for 180 days. A page gives its browser a new one; goes with 0.3. */
  #verifyOld(token: string, credential: Credential): Known | undefined {
    const [, body = '', signature = '', ...rest] = token.split('.')
    if (rest.length > 0) return undefined
    if (!isHmacOf(this.#keys, `beach-token:${body}`, Buffer.from(signature, 'base64url'))) return undefined
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    const { issuedAt, ...principal } = principalClaims.extend({ issuedAt: z.number() }).parse(claims)
    if (Math.abs(this.#runtime.clock.now() - issuedAt) > validForMs) return undefined
    return { known: { principal, credential }, issuedAt }
  }
}
